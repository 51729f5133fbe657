"""Certificates that are valid for an hour: an authority, and a server and a client certificate signed by it."""

from datetime import datetime, timedelta, timezone
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


def make(folder):
    """Writes `NAME.pem` and `NAME.key` for each of the three, and for a client of an untrusted authority."""
    for authority, names in [("authority", ["server", "client"]), ("stranger", ["impostor"])]:
        key = ec.generate_private_key(ec.SECP256R1())
        own = certificate(authority, key, authority, key, is_authority=True)
        keep(folder, authority, own, key)
        for name in names:
            other = ec.generate_private_key(ec.SECP256R1())
            keep(folder, name, certificate(name, other, authority, key), other)


def certificate(name, key, issuer, issuer_key, is_authority=False):
    def named(common):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])

    now = datetime.now(timezone.utc)
    usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    builder = (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
    )
    if not is_authority:
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def keep(folder, name, certificate, key):
    (folder / f"{name}.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    (folder / f"{name}.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
