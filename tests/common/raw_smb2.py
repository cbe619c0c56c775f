"""A tiny SMB 2.1 client that can do what no real one does: send many requests in one go, send a byte
at a time, and hold a thousand sessions. It logs in anonymously, so the share must be a guest share.
"""

import socket
import struct

NEGOTIATE, SESSION_SETUP, TREE_CONNECT, CREATE, CLOSE, READ, WRITE, ECHO = 0, 1, 3, 5, 6, 8, 9, 13
MORE_PROCESSING_REQUIRED = 0xC0000016
PENDING = 0x103

GENERIC_READ, GENERIC_WRITE = 0x80000000, 0x40000000
OPEN, OVERWRITE_IF = 1, 5


class Reply:
    """One response: MS-SMB2 2.2.1.2 and its body."""

    def __init__(self, message):
        (self.magic, _, _, self.status, self.command, self.credits, self.flags, _, self.message_id, _,
         self.tree_id, self.session_id) = struct.unpack_from("<4sHHIHHIIQIIQ", message)
        self.message = message
        self.body = message[64:]


class Client:
    def __init__(self, port, timeout_s=20):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        self.message_id = self.session_id = self.tree_id = self.credits = 0

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- messages ----

    def request(self, command, body):
        """The frame of one request, its MessageId taken."""
        header = struct.pack("<4sHHIHHIIQIIQ16s", b"\xfeSMB", 64, 1 if self.session_id else 0, 0, command, 256,
                             0, 0, self.message_id, 0xFEFF, self.tree_id, self.session_id, b"")
        self.message_id += 1
        message = header + body
        return struct.pack(">I", len(message)) + message

    def receive(self):
        """The next final reply."""
        while True:
            while len(self.received) < 4 or len(self.received) < 4 + self.next_length():
                data = self.socket.recv(1 << 20)
                if not data:
                    raise ConnectionError("the server closed the connection")
                self.received += data
            length = self.next_length()
            reply = Reply(self.received[4:4 + length])
            self.received = self.received[4 + length:]
            if reply.status != PENDING:
                return reply

    def next_length(self):
        return struct.unpack_from(">I", self.received)[0]

    def call(self, command, body, expected=0):
        self.socket.sendall(self.request(command, body))
        reply = self.receive()
        if reply.status != expected:
            raise AssertionError(f"command {command}: status {reply.status:#x}, not {expected:#x}")
        return reply

    # ---- bodies ----

    @staticmethod
    def negotiate_body():
        return struct.pack("<HHHHI16sQH", 36, 1, 1, 0, 0, b"semblance-tests!", 0, 0x0210)

    @staticmethod
    def session_setup_body(token):
        return struct.pack("<HBBIIHHQ", 25, 0, 1, 0, 0, 88, len(token), 0) + token

    @staticmethod
    def ntlm_negotiate():
        return struct.pack("<8sIIQQ", b"NTLMSSP\0", 1, 0x00080A05, 0, 0)

    @staticmethod
    def ntlm_anonymous():
        """An AUTHENTICATE without names and responses: MS-NLMP 3.2.5.1.2, anonymous."""
        fields = struct.pack("<HHI", 1, 1, 64)  # LmChallengeResponse: one zero byte
        fields += struct.pack("<HHI", 0, 0, 64) * 5
        return struct.pack("<8sI", b"NTLMSSP\0", 3) + fields + struct.pack("<I", 0x00080A05) + b"\0"

    @staticmethod
    def create_body(name, access, disposition):
        encoded = name.encode("utf-16-le")
        return struct.pack("<HBBIQQIIIIIHHII", 57, 0, 0, 2, 0, 0, access, 0, 7, disposition, 0x40, 120,
                           len(encoded), 0, 0) + (encoded or b"\0")

    @staticmethod
    def read_body(file_id, offset, length):
        return struct.pack("<HBBIQ16sIIIHHB", 49, 80, 0, length, offset, file_id, 0, 0, 0, 0, 0, 0)

    @staticmethod
    def write_body(file_id, offset, data):
        return struct.pack("<HHIQ16sIIHHI", 49, 112, len(data), offset, file_id, 0, 0, 0, 0, 0) + data

    ECHO_BODY = struct.pack("<HH", 4, 0)

    # ---- what the tests do ----

    def login(self):
        self.call(NEGOTIATE, self.negotiate_body())
        first = self.call(SESSION_SETUP, self.session_setup_body(self.ntlm_negotiate()),
                          MORE_PROCESSING_REQUIRED)
        self.session_id = first.session_id
        self.credits = self.call(SESSION_SETUP, self.session_setup_body(self.ntlm_anonymous())).credits

    def tree_connect(self, share):
        path = f"\\\\127.0.0.1\\{share}".encode("utf-16-le")
        self.tree_id = self.call(TREE_CONNECT, struct.pack("<HHHH", 9, 0, 72, len(path)) + path).tree_id

    def create(self, name, access=GENERIC_READ | GENERIC_WRITE, disposition=OVERWRITE_IF):
        return self.call(CREATE, self.create_body(name, access, disposition)).body[64:80]

    def close_file(self, file_id):
        self.call(CLOSE, struct.pack("<HHI16s", 24, 0, 0, file_id))

    def batch(self, command, bodies):
        """All requests in one send; returns all replies, which may come in any order."""
        self.socket.sendall(b"".join(self.request(command, body) for body in bodies))
        return [self.receive() for _ in bodies]


def data_of(read_reply):
    """What a READ response carries: MS-SMB2 2.2.20."""
    offset, length = struct.unpack_from("<xxBxI", read_reply.body)
    return read_reply.message[offset:offset + length]
