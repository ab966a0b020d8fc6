"""News from many threads at once never breaks, and never misses, whoever waits for it."""

import asyncio
import threading

from footfall.studio.page.pacing import Bell


def test_rung_from_many_threads_it_wakes_all_who_wait() -> None:
    async def listen() -> None:
        loop, bell = asyncio.get_running_loop(), Bell()

        def ring() -> None:
            for _ in range(500):
                bell.set()
                loop.call_soon_threadsafe(bell.set)

        threads = [threading.Thread(target=ring) for _ in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            bell.clear()
            waiting = [asyncio.create_task(bell.wait()) for _ in range(50)]
            await asyncio.sleep(0)
            loop.call_soon(bell.set)
            await asyncio.gather(*waiting)

    asyncio.run(asyncio.wait_for(listen(), 30.0))
