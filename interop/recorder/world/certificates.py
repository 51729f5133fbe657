"""A certificate authority, and host certificates that are created on demand."""

import datetime
import ipaddress
import ssl
import threading
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


class Authority:
    """Signs certificates. Its own is written to `authority.pem` in the folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "A world for recorders")])
        usage = x509.KeyUsage(*(field in ("key_cert_sign", "crl_sign") for field in USAGES))
        builder = (
            certificate(name, name, self.key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
        )
        self.certificate = builder.sign(self.key, hashes.SHA256())
        self.file = self.folder / "authority.pem"
        self.file.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))
        self.contexts = {}
        self.lock = threading.Lock()

    def context(self, host):
        """Returns the TLS context for this host."""
        with self.lock:
            if host not in self.contexts:
                self.contexts[host] = self.made(host)
            return self.contexts[host]

    def made(self, host):
        key = ec.generate_private_key(ec.SECP256R1())
        authority_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        builder = (
            # A host name may be too long for a common name, so the common name is constant.
            certificate(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "host")]), self.certificate.subject, key)
            .add_extension(x509.SubjectAlternativeName([general_name(host)]), critical=False)
            .add_extension(authority_key, critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        )
        signed = builder.sign(self.key, hashes.SHA256())
        file = self.folder / f"{len(self.contexts)}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        context.set_alpn_protocols(["http/1.1"])
        return context


USAGES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)


def certificate(subject, issuer, key):
    now = datetime.datetime.now(datetime.timezone.utc)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # Some tests move the clock by a day.
        .not_valid_before(now - datetime.timedelta(days=3))
        .not_valid_after(now + datetime.timedelta(days=7))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def general_name(host):
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
