"""A world for recorders: the servers of model providers and tools, all behind one proxy.

    python -m world [--gap SECONDS] [--log FILE] [--model URL]

The proxy takes `CONNECT` for every host and is that host itself, with a certificate from an authority of its own. A client
that has the proxy in `HTTPS_PROXY` and the authority in `SSL_CERT_FILE` talks to `api.openai.com` under its real name, with
no base URL, no name server and no network. The first line on stdout is JSON: `proxy`, `certificates` (a file with the
authority's certificate) and `log` (one line of JSON for each request).
"""
