"""The desk: the same calls as the command line, in a browser on the steward's own machine.

`serve.py` binds 127.0.0.1 and opens the page; `guard.py` decides who may speak to it,
`serve.py` for how long, with the table of routes; `links.py` what a browser downloads.
`session.py` keeps what is open: files (`uploads.py` takes them in, to a folder of
`workspace.py`) and jobs (`jobs.py` runs them one after the other). The server itself never reads a
table: `worker.py` does (`tasks.py`), in a process of its own, and answers with a file of JSON:
`risk_now.py` what a file risks as it is, `trial.py` what a sample would lose, and what
would lose less. `routes/jobs.py` streams what a job does; `request.py` keeps settings.
`request.py` turns what a page says into settings; `equivalent.py` says the same as a command and as
Python. `static/` is what the browser gets, all of it ours, but for the charts' library, which a
dependency brings (`bundle.py`): `store.js` is the state of a page, `steps.js` the rail, `en.js` and
`de.js` all texts.
"""
