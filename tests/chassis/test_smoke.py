import asyncio


async def test_smoke(make_app, ask_for, refuse, run_id):
    app = make_app("sim-worker")

    async def simulate(request):
        return refuse(request)

    app.answers(type(ask_for()), simulate)
    await app.start()
    request = ask_for()
    outcome = await asyncio.wait_for(app.bus.ask(request), 5)
    assert outcome == refuse(request).model_copy(update={"occurred_at": outcome.occurred_at})
    assert await app.health() == []
    assert await app.bus.publish(request) is False
    assert await app.bus.history(run_id) == [request, outcome]
    assert await app.bus.ended(run_id) is None
