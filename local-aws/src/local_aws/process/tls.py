"""TLS on the gateway's port, for clients that speak HTTP/2 over nothing else."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

AUTHORITY = "ca.pem"
"""The certificate that clients have to trust, in the folder of the local AWS."""

_ALPN = "h2"
_DAYS = 365


class TlsContext:
    """Certificates of one local AWS, made as it starts; the authority's is left in ``folder``.

    The keys are in no file: nobody else can use them, and what trusts the authority trusts this
    process alone.
    """

    def __init__(self, folder: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._context.set_alpn_protocols([_ALPN])
        authority, served = _certificates()
        with TemporaryDirectory() as private:  # load_cert_chain reads files alone
            chain = Path(private) / "chain.pem"
            chain.write_bytes(served)
            self._context.load_cert_chain(chain)
        (folder / AUTHORITY).write_bytes(authority)

    def accept(self, connection: socket.socket) -> TlsTransport:
        """The connection's plain bytes. Raises `OSError` where the client does not trust the
        authority, or speaks no HTTP/2."""
        return TlsTransport(connection, self._context)


class TlsTransport:
    """A connection in TLS, which one thread may read while others write."""

    def __init__(self, connection: socket.socket, context: ssl.SSLContext) -> None:
        self._connection = connection
        self._coming, self._going = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._coming, self._going, server_side=True)
        self._lock = threading.Lock()
        while not self._has_shaken_hands():
            if not self._fetch():
                raise ConnectionResetError("the client left before it had agreed on TLS")
        if self._tls.selected_alpn_protocol() != _ALPN:
            raise ConnectionRefusedError("the client speaks no HTTP/2")

    def receive(self) -> bytes:
        """What has come, b"" at its end; raises `TimeoutError` when nothing comes for a while."""
        while True:
            with self._lock:
                try:
                    return self._tls.read(1 << 16)
                except ssl.SSLWantReadError:
                    self._flush()
                except ssl.SSLZeroReturnError:
                    return b""
            if not self._fetch():
                return b""

    def send(self, data: bytes) -> None:
        """Send all of it; raises `OSError`."""
        with self._lock:
            self._tls.write(data)
            self._flush()

    def _has_shaken_hands(self) -> bool:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        finally:
            self._flush()  # also why it was refused
        return True

    def _fetch(self) -> bool:
        data = self._connection.recv(1 << 16)
        with self._lock:
            self._coming.write(data)
        return bool(data)

    def _flush(self) -> None:
        data = self._going.read()
        if data:
            self._connection.sendall(data)


def _certificates() -> tuple[bytes, bytes]:
    """The authority's certificate; and this machine's, with its key."""
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "local AWS")])
    now = datetime.now(UTC)

    def begun(subject: x509.Name, public_key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=_DAYS))
        )

    authority = (
        begun(name, authority_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    hosts = [
        x509.DNSName("localhost"),
        x509.DNSName("*.localhost"),
        *(x509.IPAddress(ipaddress.ip_address(each)) for each in ("127.0.0.1", "::1")),
    ]
    here = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    served = (
        begun(here, key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return authority.public_bytes(pem), private + served.public_bytes(pem)
