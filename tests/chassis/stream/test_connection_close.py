"""Clients close in whatever state they are."""

import asyncio
import ssl

from chassis.background_tasks import cancel_and_wait
from chassis.stream.connection import close
from nats.aio.client import Client

INFO = b'INFO {"server_id":"A","version":"2.12.0","max_payload":1048576,"tls_required":true}\r\n'


async def test_client_that_was_cancelled_while_it_began_to_encrypt_closes() -> None:
    encrypting = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(INFO)
        await reader.read(1)  # of the client's first message of TLS, which gets no answer
        encrypting.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = Client()
    connecting = asyncio.create_task(client.connect(f"tls://127.0.0.1:{port}", tls=ssl.create_default_context()))
    await encrypting.wait()
    await cancel_and_wait(connecting)
    async with asyncio.timeout(60):
        await close(client)
    server.close()
    await server.wait_closed()
