// SPDX-License-Identifier: Apache-2.0

/// The console as Mustache templates, in the layout of the other pages.
enum ConsoleTemplates {
    static let all = ["consoleSignIn": signIn, "console": overview, "consoleRun": run, "consoleMissing": missing]

    private static let signIn = """
        {{<layout}}{{$content}}
        <h1>Console</h1>
        <form method="post" action="/console/sign-in" id="consoleSignIn">
        <input type="hidden" name="form" value="{{form}}">
        <label for="token">Operator's token</label>
        <input id="token" name="token" type="password" autocomplete="off" required>
        <p class="hint">The file service.key in the state directory, or a token of a role that administers people.</p>
        <button id="consoleEnter">Sign in</button>
        </form>
        {{/content}}{{/layout}}
        """

    private static let overview = """
        {{<layout}}{{$content}}
        <h1>Erasures</h1>
        <dl class="counts" id="counts">{{#counts}}<div><dt>{{state}}</dt><dd>{{count}}</dd></div>{{/counts}}</dl>
        <form method="get" action="/console" class="acts" id="filter" role="search">
        <div><label for="state">State</label><select id="state" name="state"><option value="">all</option>
        {{#states}}<option value="{{state}}" {{selected}}>{{state}}</option>{{/states}}</select></div>
        <div><label for="find">Number or keyed hash begins with</label>
        <input id="find" name="find" value="{{search}}"></div>
        <button class="plain" id="filterButton">Show</button>
        </form>
        {{#hasRuns}}
        <div class="scroll" tabindex="0" role="region" aria-label="Erasures">
        <table id="runs"><thead><tr><th scope="col">Number</th><th scope="col">State</th><th scope="col">Asked
        for</th>
        <th scope="col">Due</th><th scope="col">Cause</th></tr></thead>
        <tbody>{{#runs}}<tr><th scope="row"><a href="/console/runs/{{id}}">{{id}}</a></th><td>{{state}} {{held}}</td>
        <td>{{requested}}</td><td>{{due}}</td><td>{{cause}}</td></tr>{{/runs}}</tbody></table></div>
        {{/hasRuns}}
        {{^hasRuns}}<p id="noRuns">None.</p>{{/hasRuns}}
        <h2 id="dueHeading">Due</h2>
        {{#hasDue}}
        <svg class="chart" viewBox="0 0 640 {{dueHeight}}" role="img" aria-labelledby="dueHeading">
        {{#due}}<rect x="90" y="{{y}}" width="400" height="20" class="time"/>
        <rect x="90" y="{{y}}" width="{{width}}" height="20" class="{{kind}}"/>
        <text x="0" y="{{textY}}">{{short}}</text><text x="500" y="{{textY}}">{{left}} days left</text>{{/due}}
        </svg>
        <table id="due"><thead><tr><th scope="col">Number</th><th scope="col">Due</th>
        <th scope="col" class="number">Days left</th></tr></thead>
        <tbody>{{#due}}<tr><th scope="row"><a href="/console/runs/{{id}}">{{short}}</a></th><td>{{date}}</td>
        <td class="number">{{left}}</td></tr>{{/due}}</tbody></table>
        {{/hasDue}}
        {{^hasDue}}<p>Nothing is due.</p>{{/hasDue}}
        <h2>Workers and leases</h2>
        {{#hasWorkers}}<table id="workers"><thead><tr><th scope="col">Worker</th><th scope="col">Erasure</th>
        <th scope="col">Lease until</th><th scope="col" class="number">Lease number</th></tr></thead>
        <tbody>{{#workers}}<tr><th scope="row">{{owner}}</th><td>{{id}}</td><td>{{until}}</td>
        <td class="number">{{epoch}}</td></tr>{{/workers}}</tbody></table>{{/hasWorkers}}
        {{^hasWorkers}}<p>Nobody is at work.</p>{{/hasWorkers}}
        <h2>Dead letters</h2>
        <ul id="letters">{{#letters}}<li>{{endpoint}}: {{event}} of {{id}}, {{attempts}} tries,
        {{reason}}</li>{{/letters}}
        {{^letters}}<li>None.</li>{{/letters}}</ul>
        <h2>Plan</h2>
        <img class="plan" id="plan" src="/console/plan.svg" alt="The plan's tables, coloured by rule; red is
        unaccounted for">
        <form method="post" action="/console/sign-out"><input type="hidden" name="form" value="{{form}}">
        <button class="plain" id="consoleLeave">Sign out</button></form>
        {{/content}}{{/layout}}
        """

    private static let run = """
        {{<layout}}{{$content}}
        <h1>Erasure</h1>
        <p><code>{{id}}</code></p>
        <dl class="counts"><div><dt>State</dt><dd id="runState">{{state}} {{held}}</dd></div>
        <div><dt>Asked for</dt><dd>{{requested}}</dd></div><div><dt>Finished</dt><dd>{{finished}}</dd></div>
        <div><dt>Due</dt><dd>{{due}}</dd></div><div><dt>Taken up</dt><dd>{{attempts}}</dd></div>
        <div><dt>Worker</dt><dd>{{owner}}</dd></div></dl>
        <p class="hint">Keyed hash: <code>{{hash}}</code></p>
        {{#hasCause}}<p class="warning" id="cause">{{cause}}</p>{{/hasCause}}
        <h2 id="stepsHeading">Steps</h2>
        <div class="scroll" tabindex="0" role="region" aria-labelledby="stepsHeading">
        <table id="timeline"><thead><tr><th scope="col">Step</th><th scope="col">State</th><th scope="col">Begun</th>
        <th scope="col">Finished</th><th scope="col" class="number">Tries</th><th scope="col">Counts</th></tr></thead>
        <tbody>{{#steps}}<tr><th scope="row">{{name}}</th><td>{{state}}</td><td>{{started}}</td><td>{{finished}}</td>
        <td class="number">{{attempts}}</td><td>{{counts}}</td></tr>{{/steps}}</tbody></table></div>
        {{#isHeld}}
        <h2>Held</h2>
        <p id="holdReason">{{holdReason}}</p>
        <form method="post" action="/console/end-hold"><input type="hidden" name="form" value="{{form}}">
        <input type="hidden" name="id" value="{{id}}"><button id="endHold">Let it go on</button></form>
        {{/isHeld}}
        {{^isHeld}}{{#isLive}}
        <h2>Hold</h2>
        <form method="post" action="/console/hold"><input type="hidden" name="form" value="{{form}}">
        <input type="hidden" name="id" value="{{id}}"><label for="reason">Why it must not go on</label>
        <input id="reason" name="reason" maxlength="1000" required><button class="destructive"
        id="hold">Hold</button></form>
        {{/isLive}}{{/isHeld}}
        <p><a href="/console">All erasures</a></p>
        {{/content}}{{/layout}}
        """

    private static let missing = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <p><a href="/console">All erasures</a></p>
        {{/content}}{{/layout}}
        """
}
