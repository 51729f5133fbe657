"""A test world for the recorder: the servers of model providers and tools, all behind one proxy.

    python -m world [--gap SECONDS] [--log FILE] [--model URL]

The proxy accepts `CONNECT` for every host and answers as that host, with a certificate from its own authority. A client with the
proxy in `HTTPS_PROXY` and the authority in `SSL_CERT_FILE` talks to `api.openai.com` under its real name, without a base URL, a
name server or a network. The first line on stdout is JSON: `proxy`, `certificates` (a file with the authority's certificate) and
`log` (a file with one line of JSON per request).
"""
