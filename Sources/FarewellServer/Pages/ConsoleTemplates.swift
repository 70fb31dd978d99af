// SPDX-License-Identifier: Apache-2.0

/// The console as Mustache templates, in the layout of the other pages.
enum ConsoleTemplates {
    static let all = [
        "consoleSignIn": signIn, "consoleOnward": onward, "console": overview, "consoleActivity": activity,
        "consoleDelivery": delivery, "consoleSessions": sessions, "consolePlan": plan, "consoleRun": run,
        "consoleMissing": missing, "consoleNavigation": navigation, "consoleFoot": foot, "consoleNeeds": needs,
        "consoleDue": due, "consolePace": pace, "consoleFailures": failures, "consoleWork": work,
        "consoleRetry": retry,
    ]
    /// The templates inside other ones.
    static let parts: Set = [
        "consoleNavigation", "consoleFoot", "consoleNeeds", "consoleDue", "consolePace", "consoleFailures",
        "consoleWork", "consoleRetry",
    ]

    private static let signIn = """
        {{<layout}}{{$content}}
        <h1>Console</h1>
        {{#signsInElsewhere}}<p><a class="button" id="openIDButton" href="/console/openid">Sign in with your
        organisation</a></p>{{/signsInElsewhere}}
        <form method="post" action="/console/sign-in" id="consoleSignIn">
        <input type="hidden" name="form" value="{{form}}">
        <label for="token">Operator's token</label>
        <input id="token" name="token" type="password" autocomplete="off" required>
        <p class="hint">The file service.key in the state directory, or a token of a role that administers users.</p>
        <button id="consoleEnter">Sign in</button>
        </form>
        {{/content}}{{/layout}}
        """

    /// Continues automatically, or by a button in browsers that do not.
    private static let onward = """
        {{<layout}}{{$head}}<meta http-equiv="refresh" content="0;url={{onward}}">{{/head}}{{$content}}
        <h1>Console</h1>
        <p><a class="button" id="goOn" href="{{onward}}">Continue</a></p>
        {{/content}}{{/layout}}
        """

    private static let overview = """
        {{<layout}}{{$content}}
        <h1>Erasures</h1>
        {{>consoleNavigation}}
        {{#unfitPlan}}<p class="warning" role="alert" id="unfitPlan"><strong>Erasures wait.</strong>
        {{.}}</p>{{/unfitPlan}}
        <div id="urgent">{{>consoleNeeds}}</div>
        <h2>All erasures</h2>
        <form method="get" action="/console" class="acts" id="filter" role="search">
        <div><label for="state">State</label><select id="state" name="state"><option value="">all</option>
        {{#states}}<option value="{{state}}" {{selected}}>{{state}}</option>{{/states}}</select></div>
        <div><label for="find">Number or keyed hash begins with</label>
        <input id="find" name="find" value="{{search}}"></div>
        <button class="plain" id="filterButton">Show</button>
        </form>
        <div id="live" data-events="/console/events" data-seen="{{mark}}">
        <dl class="counts" id="counts">{{#counts}}<div><dt>{{state}}</dt><dd>{{count}}</dd></div>{{/counts}}</dl>
        {{#hasRuns}}
        <div class="scroll" tabindex="0" role="region" aria-label="Erasures">
        <table id="runs"><thead><tr><th scope="col">Number</th><th scope="col">State</th><th scope="col">Requested</th>
        <th scope="col">Due</th><th scope="col">Cause</th>{{#hasParked}}<th scope="col">Action</th>{{/hasParked}}</tr>
        </thead>
        <tbody>{{#runs}}<tr><th scope="row" class="word">
        <a href="/console/runs/{{id}}" title="{{id}}">{{short}}</a></th>
        <td class="word">{{state}} {{held}}</td>
        <td class="word">{{requested}}</td><td class="word">{{due}}</td>
        <td class="brief" title="{{cause}}">{{cause}}</td>
        {{#hasParked}}<td>{{#isParked}}{{>consoleRetry}}{{/isParked}}</td>{{/hasParked}}</tr>{{/runs}}</tbody></table>
        </div>
        {{#rest}}<p class="hint" id="rest">{{.}}</p>{{/rest}}
        {{/hasRuns}}
        {{^hasRuns}}<p id="noRuns">{{#isFiltered}}No erasure matches. Choose another state, or empty the
        search.{{/isFiltered}}{{^isFiltered}}No erasure was requested yet. Users request one in your app, or at
        <a href="/account/delete">/account/delete</a>.{{/isFiltered}}</p>{{/hasRuns}}
        </div>
        {{>consoleFoot}}
        {{/content}}{{/layout}}
        """

    private static let navigation = """
        <nav class="sections" aria-label="Console"><ul>{{#sections}}<li><a href="{{path}}"
        {{#isHere}}aria-current="page"{{/isHere}}>{{name}}</a></li>{{/sections}}</ul></nav>
        """

    private static let foot = """
        <p class="hint" id="who">Signed in as operator <code>{{operator}}</code>{{^mayAct}}
        (read only){{/mayAct}}.</p>
        <form method="post" action="/console/sign-out"><input type="hidden" name="form" value="{{form}}">
        <button class="plain" id="consoleLeave">Sign out</button></form>
        """

    private static let needs = """
        <h2 id="needsHeading">Needs an operator</h2>
        {{#hasNeeds}}<ul class="rows" id="needs">{{#needs}}<li><div><strong>{{what}}</strong>
        {{#id}}<a class="word" href="/console/runs/{{id}}">{{short}}</a>{{/id}}<br>{{text}}
        {{#showAll}}<a class="showAll" href="{{showAll}}">Show all</a>{{/showAll}}</div>
        {{#isParked}}{{>consoleRetry}}{{/isParked}}
        {{#mayAct}}{{#endpoint}}<form method="post" action="/console/redeliver"><input type="hidden" name="form"
        value="{{form}}"><input type="hidden" name="endpoint" value="{{endpoint}}"><button class="plain redeliver"
        aria-label="Deliver again to {{endpoint}}">Deliver again</button></form>{{/endpoint}}{{/mayAct}}</li>
        {{/needs}}</ul>{{/hasNeeds}}
        {{^hasNeeds}}<p id="noNeeds">Nothing needs an operator.</p>{{/hasNeeds}}
        <dl class="counts" id="speed">{{#speed}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>{{/speed}}</dl>
        """

    /// The button that resolves a parked erasure, for operators who may act.
    private static let retry = """
        {{#mayAct}}<form method="post" action="/console/release"><input type="hidden" name="form"
        value="{{form}}"><input type="hidden" name="id" value="{{id}}"><button class="plain retry"
        aria-label="Try again: {{short}}">Try again</button></form>{{/mayAct}}
        """

    private static let activity = """
        {{<layout}}{{$content}}
        <h1>Activity</h1>
        {{>consoleNavigation}}
        <div id="live" data-events="/console/events" data-seen="{{mark}}">
        {{>consoleDue}}
        {{>consolePace}}
        {{>consoleFailures}}
        </div>
        {{>consoleFoot}}
        {{/content}}{{/layout}}
        """

    private static let delivery = """
        {{<layout}}{{$content}}
        <h1>Workers and events</h1>
        {{>consoleNavigation}}
        <div id="live" data-events="/console/events" data-seen="{{mark}}">
        {{>consoleWork}}
        </div>
        {{>consoleFoot}}
        {{/content}}{{/layout}}
        """

    private static let plan = """
        {{<layout}}{{$content}}
        <h1>Plan</h1>
        {{>consoleNavigation}}
        <div class="scroll" tabindex="0" role="region" aria-label="Plan"><img class="plan" id="plan"
        src="/console/plan.svg" alt="The plan's tables, coloured by rule; red is unaccounted for"></div>
        {{>consoleFoot}}
        {{/content}}{{/layout}}
        """

    private static let due = """
        <h2 id="dueHeading">Due within thirty days</h2>
        {{#hasDue}}
        <div class="beside"><svg class="chart" viewBox="0 0 640 {{dueHeight}}" role="img" aria-labelledby="dueHeading">
        {{#dueTicks}}<line x1="{{x}}" x2="{{x}}" y1="0" y2="{{bottom}}" class="tick"/>
        <text x="{{x}}" y="{{y}}" text-anchor="middle">{{text}}</text>{{/dueTicks}}
        {{#due}}<rect x="90" y="{{y}}" width="400" height="20" class="time"/>
        <rect x="90" y="{{y}}" width="{{width}}" height="20" class="{{kind}}"/>
        <line x1="{{dueX}}" x2="{{dueX}}" y1="{{y}}" y2="{{dueBottom}}" class="due"/>
        <text x="0" y="{{textY}}">{{short}}</text><text x="500" y="{{textY}}">{{words}}</text>{{/due}}
        </svg>
        <div class="scroll" tabindex="0" role="region" aria-labelledby="dueHeading">
        <table id="due"><thead><tr><th scope="col">Number</th><th scope="col" class="number">Days left</th>
        <th scope="col">Due</th></tr></thead>
        <tbody>{{#due}}<tr><th scope="row" class="word"><a href="/console/runs/{{id}}">{{short}}</a></th>
        <td class="number">{{left}}</td>
        <td class="word">{{date}}</td></tr>{{/due}}</tbody></table></div></div>
        {{/hasDue}}
        {{^hasDue}}<p>Nothing is due: no erasure is unfinished.</p>{{/hasDue}}
        """

    private static let pace = """
        <h2 id="paceHeading">Requested and done, by day</h2>
        {{#hasDays}}
        <div class="beside"><div><svg class="chart" viewBox="0 0 640 150" role="img" aria-labelledby="paceHeading">
        <line x1="60" x2="620" y1="130" y2="130" class="tick"/><text x="52" y="18" text-anchor="end">{{dayTop}}</text>
        <text x="52" y="134" text-anchor="end">0</text>
        {{#dayBars}}<rect x="{{x}}" y="{{y}}" width="{{width}}" height="{{height}}" class="{{kind}}"/>{{/dayBars}}
        {{#dayLabels}}<text x="{{x}}" y="146" text-anchor="middle">{{text}}</text>{{/dayLabels}}
        </svg><ul class="legend"><li class="asked">requested</li><li class="finished">done</li></ul></div>
        <div class="scroll" tabindex="0" role="region" aria-labelledby="paceHeading">
        <table id="pace"><thead><tr><th scope="col">Day</th><th scope="col" class="number">Requested</th>
        <th scope="col" class="number">Done</th><th scope="col" class="number">Cancelled</th></tr></thead>
        <tbody>{{#days}}<tr><th scope="row" class="word">{{day}}</th><td class="number">{{asked}}</td><td
        class="number">{{done}}</td><td class="number">{{cancelled}}</td></tr>{{/days}}</tbody></table></div></div>
        {{/hasDays}}
        {{^hasDays}}<p>No requests in these days.</p>{{/hasDays}}
        """

    private static let failures = """
        <h2 id="failuresHeading">Failed attempts, by system and day</h2>
        {{#hasFailures}}
        <div class="beside"><div><svg class="chart" viewBox="0 0 640 150" role="img" aria-labelledby="failuresHeading">
        <line x1="60" x2="620" y1="130" y2="130" class="tick"/>
        <text x="52" y="18" text-anchor="end">{{failureTop}}</text><text x="52" y="134" text-anchor="end">0</text>
        {{#failureBars}}<rect x="{{x}}" y="{{y}}" width="{{width}}" height="{{height}}"
        class="{{kind}}"/>{{/failureBars}}
        {{#dayLabels}}<text x="{{x}}" y="146" text-anchor="middle">{{text}}</text>{{/dayLabels}}
        </svg><ul class="legend">{{#systems}}<li class="{{kind}}">{{name}}</li>{{/systems}}</ul></div>
        <div class="scroll" tabindex="0" role="region" aria-labelledby="failuresHeading">
        <table id="failures"><thead><tr><th scope="col">Day</th>{{#systems}}<th scope="col"
        class="number word">{{name}}</th>{{/systems}}</tr></thead>
        <tbody>{{#failureRows}}<tr><th scope="row" class="word">{{day}}</th>{{#cells}}<td
        class="number">{{count}}</td>{{/cells}}</tr>{{/failureRows}}</tbody></table></div></div>
        {{/hasFailures}}
        {{^hasFailures}}<p id="noFailures">Nothing failed in these days.</p>{{/hasFailures}}
        """

    private static let work = """
        <h2 id="workersHeading">Workers and leases</h2>
        {{#hasWorkers}}<div class="scroll" tabindex="0" role="region" aria-labelledby="workersHeading">
        <table id="workers"><thead><tr><th scope="col">Worker</th><th scope="col">Erasure</th>
        <th scope="col">Lease until</th><th scope="col" class="number">Lease number</th></tr></thead>
        <tbody>{{#workers}}<tr><th scope="row" class="word">{{owner}}</th><td class="word">{{id}}</td>
        <td class="word">{{until}}</td>
        <td class="number">{{epoch}}</td></tr>{{/workers}}</tbody></table></div>{{/hasWorkers}}
        {{^hasWorkers}}<p>No active workers: none holds an erasure now. If erasures wait, run <code>farewell
        work</code>, or set <code>erasures.concurrency</code> above 0.</p>{{/hasWorkers}}
        <h2 id="outboxHeading">Outbox</h2>
        {{#hasOutbox}}
        <div class="scroll" tabindex="0" role="region" aria-labelledby="outboxHeading">
        <table id="outbox"><thead><tr><th scope="col">Receiver</th>
        <th scope="col" class="number">Delivered</th><th scope="col" class="number">Waiting</th>
        <th scope="col" class="number">Dead letters</th><th scope="col">Action</th></tr></thead>
        <tbody>{{#outbox}}<tr><th scope="row" class="word">{{endpoint}}</th><td class="number">{{delivered}}</td>
        <td class="number">{{waiting}}</td><td class="number">{{dead}}</td>
        <td>{{#mayAct}}{{#hasDead}}
        <form method="post" action="/console/redeliver"><input type="hidden" name="form" value="{{form}}">
        <input type="hidden" name="endpoint" value="{{endpoint}}"><button class="plain redeliver"
        aria-label="Deliver again to {{endpoint}}">Deliver again</button></form>{{/hasDead}}{{/mayAct}}</td></tr>
        {{/outbox}}
        </tbody></table></div>
        {{/hasOutbox}}
        {{^hasOutbox}}<p>No receivers of events. Name them in the file of
        <code>erasures.webhooks-file</code>.</p>{{/hasOutbox}}
        <h2>Dead letters</h2>
        <ul id="letters">{{#letters}}<li>{{endpoint}}: {{event}} of {{id}}, {{attempts}} attempts,
        {{reason}}</li>{{/letters}}
        {{^letters}}<li>None: every event was delivered, or is still being tried.</li>{{/letters}}</ul>
        """

    private static let sessions = """
        {{<layout}}{{$content}}
        <h1 id="sessionsHeading">Sessions of the console</h1>
        {{>consoleNavigation}}
        <div class="scroll" tabindex="0" role="region" aria-labelledby="sessionsHeading">
        <table id="sessions"><thead><tr><th scope="col">Operator</th><th scope="col">Role</th>
        <th scope="col">Signed in</th><th scope="col">Ends</th><th scope="col">Action</th></tr></thead>
        <tbody>{{#consoleSessions}}<tr><th scope="row"><code>{{who}}</code>{{#isCurrent}} (this
        browser){{/isCurrent}}</th><td>{{mayDo}}</td><td class="word">{{began}}</td><td class="word">{{ends}}</td>
        <td>{{#mayAct}}{{^isCurrent}}
        <form method="post" action="/console/sessions/end"><input type="hidden" name="form" value="{{form}}">
        <input type="hidden" name="session" value="{{session}}"><button class="plain endSession"
        aria-label="End the session of {{who}}">End</button></form>{{/isCurrent}}{{/mayAct}}</td></tr>
        {{/consoleSessions}}</tbody></table></div>
        {{#mayAct}}
        <form method="post" action="/console/sessions/end-all"><input type="hidden" name="form" value="{{form}}">
        <button class="plain" id="endSessions">End all sessions, including this one</button></form>
        {{/mayAct}}
        {{>consoleFoot}}
        {{/content}}{{/layout}}
        """

    private static let run = """
        {{<layout}}{{$content}}
        <h1>Erasure</h1>
        {{>consoleNavigation}}
        <p><code class="id">{{id}}</code></p>
        <div id="live" data-events="/console/events?run={{id}}" data-seen="{{mark}}">
        <dl class="counts"><div><dt>State</dt><dd id="runState">{{state}} {{held}}</dd></div>
        <div><dt>Requested</dt><dd>{{requested}}</dd></div><div><dt>Finished</dt><dd>{{finished}}</dd></div>
        <div><dt>Due</dt><dd>{{due}}</dd></div><div><dt>Attempts</dt><dd>{{attempts}}</dd></div>
        <div><dt>Worker</dt><dd>{{owner}}</dd></div></dl>
        <p class="hint">Keyed hash: <code>{{hash}}</code></p>
        {{#hasCause}}<p class="warning" id="cause">{{cause}}</p>{{/hasCause}}
        {{#mayAct}}{{#isParked}}
        <form method="post" action="/console/release"><input type="hidden" name="form" value="{{form}}">
        <input type="hidden" name="id" value="{{id}}"><p>Fix the cause first. The erasure then resumes where it
        stopped, under the current plan.</p><button id="release">Try again</button></form>
        {{/isParked}}{{/mayAct}}
        <h2 id="stepsHeading">Steps</h2>
        {{#hasSteps}}<div class="scroll" tabindex="0" role="region" aria-labelledby="stepsHeading">
        <table id="timeline"><thead><tr><th scope="col">Step</th><th scope="col">State</th><th scope="col">Started</th>
        <th scope="col">Finished</th><th scope="col" class="number">Attempts</th>
        <th scope="col">Counts</th></tr></thead>
        <tbody>{{#steps}}<tr><th scope="row">{{name}}</th><td class="word">{{state}}</td>
        <td class="word">{{started}}</td><td class="word">{{finished}}</td>
        <td class="number">{{attempts}}</td><td>{{counts}}</td></tr>
        {{/steps}}</tbody></table></div>{{/hasSteps}}
        {{^hasSteps}}<p id="noSteps">No step has started.</p>{{/hasSteps}}
        {{#isHeld}}
        <h2>Held</h2>
        <p id="holdReason">{{holdReason}}</p>
        {{/isHeld}}
        {{#mayAct}}
        {{#isHeld}}
        <form method="post" action="/console/end-hold"><input type="hidden" name="form" value="{{form}}">
        <input type="hidden" name="id" value="{{id}}"><button id="endHold">End the hold</button></form>
        {{/isHeld}}
        {{^isHeld}}{{#isLive}}
        <h2>Hold</h2>
        {{#holdProblem}}<p class="problem" id="holdProblem" role="alert" tabindex="-1">{{.}}</p>{{/holdProblem}}
        <form method="post" action="/console/hold"><input type="hidden" name="form" value="{{form}}">
        <input type="hidden" name="id" value="{{id}}"><label for="reason">Reason for the hold</label>
        <input id="reason" name="reason" maxlength="1000" required value="{{reason}}"
        {{#holdProblem}}aria-invalid="true" aria-describedby="holdProblem"{{/holdProblem}}><button
        class="destructive" id="hold">Hold</button></form>
        {{/isLive}}{{/isHeld}}
        {{/mayAct}}
        </div>
        {{/content}}{{/layout}}
        """

    private static let missing = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        {{>consoleNavigation}}
        <p>Choose an erasure from <a href="/console">all erasures</a>.</p>
        {{/content}}{{/layout}}
        """
}
