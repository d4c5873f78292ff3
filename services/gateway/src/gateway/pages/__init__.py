"""Pages for people: what the API has, as HTML that the server renders."""

from gateway.pages import (
    assets,
    benchmarks,
    comparison,
    evaluations,
    quotes,
    replay_data,
    run_actions,
    run_page,
    runs_list,
    sign_in,
    skills,
    system,
    uploads,
)

ROUTERS = (
    assets.router,
    sign_in.router,
    runs_list.router,
    run_actions.router,
    uploads.router,
    quotes.router,
    run_page.router,
    replay_data.router,
    comparison.router,
    benchmarks.router,
    skills.router,
    evaluations.router,
    system.router,
)
