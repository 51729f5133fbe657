"""A2A agents with authentication: every scheme with the right secret, a wrong one and none."""

import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from a2a_suite import A2aSuite, Shop, run, said
from harness import FOLDER, main

sys.path.insert(0, str(FOLDER / "a2a"))
from certificates import make  # noqa: E402

TEST = said("hello", asserts="text: { must_match: '^You said: hello$' }")
SECRETS = {"TOKEN": "tok3n-of-the-user", "KEY": "k3y-of-the-user"}


def test_missing_credentials_are_refused(shop):
    for name in ["bearer", "key", "query", "cookie", "oauth"]:
        run(shop.card(name), TEST).failed("401", "who are you")


def test_bearer_token(shop):
    auth = 'auth: { scheme: bearer, token: "${ENV.TOKEN}" }'
    run(shop.card("bearer"), TEST, auth, environment=SECRETS).passed()
    outcome = run(shop.card("bearer"), TEST, auth, environment={"TOKEN": "a-wrong-t0ken"}).failed("401")
    assert "a-wrong-t0ken" not in outcome.shown()


def test_api_key(shop):
    for name, auth in [
        ("key", 'auth: { scheme: apiKey, name: X-API-Key, value: "${ENV.KEY}" }'),
        ("key", 'auth: { scheme: apiKey, in: header, name: X-API-Key, value: "${ENV.KEY}" }'),
        ("query", 'auth: { scheme: apiKey, in: query, name: key, value: "k3y-&=?" }'),
        ("cookie", "auth: { scheme: apiKey, in: cookie, name: session, value: c00kie }"),
    ]:
        run(shop.card(name), TEST, auth, environment=SECRETS).passed()
        wrong = auth.replace("${ENV.KEY}", "x").replace("k3y-&=?", "x").replace("c00kie", "x")
        run(shop.card(name), TEST, wrong).failed("401")


def oauth(shop, token_url=None, secret="client-s3cret"):
    url = token_url or f"{shop.url}/token"
    return f'auth: {{ scheme: oauth2, tokenUrl: "{url}", clientId: shop, clientSecret: "{secret}", scopes: [trips] }}'


def test_oauth2_client_credentials(shop):
    run(shop.card("oauth"), said("hello", "hello", "hello"), oauth(shop)).passed()
    tokens = {entry["headers"]["authorization"] for entry in shop.asked("oauth")[-3:]}
    assert len(tokens) == 1 and tokens.pop().endswith("-for-trips"), "one token serves all turns"
    run(shop.card("oauth"), TEST, oauth(shop, f"{shop.url}/token?in=body")).passed()
    wrong = run(shop.card("oauth"), TEST, oauth(shop, secret="a-wr0ng-secret"))
    wrong.failed("token", "invalid_client")
    assert "a-wr0ng-secret" not in wrong.shown()
    run(shop.card("oauth"), TEST, oauth(shop, "http://127.0.0.1:9/token")).failed("token", "127.0.0.1:9")
    run(shop.card("oauth"), TEST, oauth(shop, f"{shop.url}/journal")).failed("token")


def test_refused_token_is_renewed_once(shop):
    with A2aSuite(shop.card("brief"), said("hello", "hello", "hello"), oauth(shop)) as suite:
        suite.run("--mode", "record").passed()
        assert len(shop.asked("brief")) == 5, "the second and the third turn are refused once"
        suite.run("--mode", "replay").passed()
    run(shop.card("never"), TEST, oauth(shop)).failed("401")
    assert len(shop.asked("never")) == 2


def test_agent_card_requires_credentials(shop):
    run(shop.card("private"), TEST).failed("agent card", "401")
    run(shop.card("private"), TEST, "auth: { scheme: bearer, token: tok3n }").passed()


def test_client_certificate(_):
    with tempfile.TemporaryDirectory(prefix="agentci-interop-") as folder:
        folder = Path(folder)
        make(folder)
        files = [folder / name for name in ("server.pem", "server.key", "authority.pem")]
        with Shop(*files) as shop:
            found = f'agentCardUrl: "{shop.addresses["safe_url"]}/safe/card.json"'

            def shown(name, authority="authority"):
                with A2aSuite(found, said("hello", "plan"), mtls(name, authority)) as suite:
                    for file in folder.iterdir():
                        (suite.folder / file.name).write_bytes(file.read_bytes())
                    return suite.run()

            shown("client").passed()
            shown("impostor").failed("(?i)certificate|connection|closed")
            shown("client", "stranger").failed("(?i)certificate|issuer|trust")
            shown("nobody").failed("nobody.pem")
            run(found, TEST).failed("(?i)certificate|issuer|trust")


def mtls(name, authority):
    return f"auth: {{ scheme: mtls, cert: {name}.pem, key: {name}.key, ca: {authority}.pem }}"


def test_artifacts_and_recordings_contain_no_secrets(shop):
    for name, words, auth in [
        ("bearer", "tell", 'auth: { scheme: bearer, token: "${ENV.TOKEN}" }'),
        ("bearer", "tell", f'auth: {{ scheme: bearer, token: {SECRETS["TOKEN"]} }}'),
        ("key", "tell", f'auth: {{ scheme: apiKey, name: X-API-Key, value: {SECRETS["KEY"]} }}'),
        ("oauth", "hello", oauth(shop)),
    ]:
        with A2aSuite(shop.card(name), said(words), auth) as suite:
            suite.run("--mode", "record", environment=SECRETS).passed()
            kept = suite.artifacts() + "".join(
                path.read_text() for path in (suite.folder / "recordings").rglob("*") if path.is_file()
            )
            for secret in [*SECRETS.values(), "client-s3cret", "-for-trips"]:
                assert secret not in kept, f"{secret} is in what the run left behind"
            # A replay sends no requests and needs no secret.
            suite.run("--mode", "replay").passed()


with Shop() as shop:
    main(globals(), lambda: nullcontext(shop))
