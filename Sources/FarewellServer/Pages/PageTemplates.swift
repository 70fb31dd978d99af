// SPDX-License-Identifier: Apache-2.0

/// The pages as Mustache templates. Every value is escaped; only the layout writes what is around them.
enum PageTemplates {
    static let all: [String: String] = [
        "layout": layout, "hidden": hidden, "signIn": signIn, "code": code, "link": link, "apple": apple,
        "account": account, "signOut": signOut, "export": ExportTemplate.export,
        "leave": leave, "progress": progress, "attention": attention, "grace": grace, "done": done,
        "problem": problem,
    ]

    private static let layout = """
        <!doctype html>
        <html lang="{{language}}" dir="{{direction}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>{{title}} · {{name}}</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/account/style.css">
        <script src="/account/script.js" defer></script>
        {{$head}}{{/head}}
        </head>
        <body>
        <a class="skip" href="#main">{{t.skip}}</a>
        <header>{{^isHomeless}}<a href="{{home}}">{{#hasLogo}}<img src="/account/logo" alt=""
        height="32">{{/hasLogo}}{{name}}</a>{{/isHomeless}}</header>
        <main id="main" tabindex="-1" {{#isWide}}class="wide"{{/isWide}}>
        <p class="problem" id="offline" role="alert" hidden>{{t.unreachable}}</p>
        {{#note}}<p class="note" id="note" role="status" tabindex="-1">{{.}}</p>{{/note}}
        {{#problem}}<p class="problem" id="problem" role="alert" tabindex="-1">{{.}}</p>{{/problem}}
        {{$content}}{{/content}}
        </main>
        </body>
        </html>

        """

    private static let hidden = """
        <input type="hidden" name="form" value="{{form}}"><input type="hidden" name="next" value="{{next}}">
        """

    private static let signIn = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        {{#intro}}<p>{{.}}</p>{{/intro}}
        <form method="post" action="/account/sign-in" id="signInForm">
        {{>hidden}}
        <label for="email">{{t.email}}</label>
        <input id="email" name="email" type="email" autocomplete="username" required value="{{email}}"
        {{#isKnown}}readonly{{/isKnown}} {{#problem}}aria-invalid="true" aria-describedby="problem"{{/problem}}>
        <label for="password">{{t.password}}</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required
        {{#problem}}aria-invalid="true" aria-describedby="problem"{{/problem}}>
        <button id="signInButton">{{signInAction}}</button>
        </form>
        {{#signsInWithApple}}<p><a class="button plain" id="appleButton"
        href="/account/apple?next={{next}}">{{t.appleSignIn}}</a></p>{{/signsInWithApple}}
        {{#sendsMail}}
        <section aria-labelledby="codeHeading">
        <h2 id="codeHeading">{{t.noPassword}}</h2>
        <p>{{t.codeIntro}}</p>
        <form method="post" action="/account/code" id="codeForm">
        {{>hidden}}
        <label for="codeEmail">{{t.email}}</label>
        <input id="codeEmail" name="email" type="email" autocomplete="email" required value="{{email}}"
        {{#isKnown}}readonly{{/isKnown}}>
        <button class="plain" id="codeButton">{{t.sendCode}}</button>
        </form>
        </section>
        {{/sendsMail}}
        {{#isKnown}}<p><a href="/account">{{t.cancel}}</a></p>{{/isKnown}}
        {{/content}}{{/layout}}
        """

    private static let code = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <p>{{t.codeSent}} {{t.orLink}}</p>
        <form method="post" action="/account/code/check" id="checkForm">
        {{>hidden}}
        <input type="hidden" name="email" value="{{email}}">
        <label for="code">{{t.code}}</label>
        <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12" required
        {{#problem}}aria-invalid="true" aria-describedby="problem"{{/problem}}>
        <button id="checkButton">{{t.continueAction}}</button>
        </form>
        <p><a href="{{again}}">{{t.startAgain}}</a></p>
        {{/content}}{{/layout}}
        """

    private static let link = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        {{#isForApp}}<p>{{t.linkForApp}}</p><p><code id="linkToken">{{token}}</code></p>{{/isForApp}}
        {{^isForApp}}<p>{{t.linkIntro}}</p>
        <form method="post" action="/account/link" id="linkForm">
        <input type="hidden" name="type" value="{{type}}">
        <input type="hidden" name="token" value="{{token}}">
        <input type="hidden" name="redirect_to" value="{{target}}">
        <button id="linkButton">{{t.continueAction}}</button>
        </form>{{/isForApp}}
        {{/content}}{{/layout}}
        """

    private static let apple = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <form method="post" action="/account/apple/check" id="appleForm">
        <input type="hidden" name="state" value="{{state}}">
        <input type="hidden" name="id_token" value="{{idToken}}">
        <input type="hidden" name="code" value="{{code}}">
        <button id="appleContinue">{{t.continueAction}}</button>
        </form>
        {{/content}}{{/layout}}
        """

    private static let account = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <p>{{signedInAs}}</p>
        <section aria-labelledby="sessionsHeading">
        <h2 id="sessionsHeading">{{t.sessions}}</h2>
        <ul class="rows" id="sessions">
        {{#sessions}}
        <li>
        <div><b><bdi>{{device}}</bdi></b>{{#isCurrent}} <span class="badge">{{t.thisDevice}}</span>{{/isCurrent}}
        {{#detail}}<br><span class="hint"><bdi>{{.}}</bdi></span>{{/detail}}
        <br><span class="hint">{{t.lastSeen}}: <time datetime="{{seenAt}}">{{seen}}</time></span></div>
        {{^isCurrent}}
        <form method="post" action="/account/sessions/end">
        {{>hidden}}
        <input type="hidden" name="session" value="{{id}}">
        <button class="plain" aria-label="{{endLabel}}">{{t.endSession}}</button>
        </form>
        {{/isCurrent}}
        </li>
        {{/sessions}}
        </ul>
        {{#hasOthers}}<p><a class="button plain" id="othersButton"
        href="/account/sign-out?scope=others">{{t.signOutOthers}}</a></p>{{/hasOthers}}
        </section>
        <section aria-label="{{t.account}}" class="apart">
        <ul class="rows">
        <li><a class="row destructive" id="logoutButton" href="/account/sign-out?scope=local">{{t.logOut}}</a></li>
        <li><a class="row" id="everywhereButton"
        href="/account/sign-out?scope=global">{{t.signOutEverywhere}}</a></li>
        {{#offersExport}}<li><a class="row" id="exportButton"
        href="/account/export">{{t.exportTitle}}</a></li>{{/offersExport}}
        <li><a class="row destructive" id="deleteAccountButton" href="/account/delete"
        aria-label="{{t.deleteLabel}}" aria-describedby="deleteHint">
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h16M10 3h4M6 7l1 14h10l1-14M10 11v6M14
        11v6"/></svg>
        <span>{{t.deleteAccount}}</span>
        <svg class="icon chevron" viewBox="0 0 24 24" aria-hidden="true"><path d="M9 5l7 7-7 7"/></svg></a>
        <span class="hint" id="deleteHint">{{t.deleteHint}}</span></li>
        </ul>
        </section>
        {{/content}}{{/layout}}
        """

    private static let signOut = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <p>{{message}}</p>
        <form method="post" action="/account/sign-out" id="signOutForm" class="acts">
        {{>hidden}}
        <input type="hidden" name="scope" value="{{scope}}">
        <button class="destructive" id="confirmLogout">{{t.logOut}}</button>
        <a class="button plain" id="cancelButton" href="/account">{{t.cancel}}</a>
        </form>
        {{/content}}{{/layout}}
        """

    private static let leave = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <p>{{signedInAs}}</p>
        <p class="warning" id="deleteMessage">{{t.deleteMessage}}</p>
        {{#graceIntro}}<p>{{.}}</p>{{/graceIntro}}
        <h2 id="goesHeading">{{t.whatGoes}}</h2>
        <table aria-labelledby="goesHeading" id="going">
        <thead><tr><th scope="col">{{t.place}}</th><th scope="col" class="number">{{t.entries}}</th></tr></thead>
        <tbody>{{#going}}
        <tr><th scope="row"><bdi>{{place}}</bdi></th><td class="number">{{count}}</td></tr>
        {{/going}}</tbody>
        </table>
        <h2 id="staysHeading">{{t.whatStays}}</h2>
        {{#hasStaying}}
        <table aria-labelledby="staysHeading" id="staying">
        <thead><tr><th scope="col">{{t.place}}</th><th scope="col" class="number">{{t.entries}}</th><th
        scope="col">{{t.reason}}</th></tr></thead>
        <tbody>{{#staying}}<tr><th scope="row"><bdi>{{place}}</bdi></th><td
        class="number">{{count}}</td><td><bdi>{{reason}}</bdi>{{#until}}<br><span
        class="hint">{{t.until}}: <bdi>{{.}}</bdi></span>{{/until}}</td></tr>{{/staying}}</tbody>
        </table>
        {{/hasStaying}}
        {{^hasStaying}}<p>{{t.nothingStays}}</p>{{/hasStaying}}
        {{#offersExport}}<p><a class="button plain" id="exportButton"
        href="/account/export">{{t.exportTitle}}</a></p>{{/offersExport}}
        <form method="post" action="/account/delete" id="deleteForm" class="acts">
        {{>hidden}}
        <button class="destructive" id="confirmDelete" aria-describedby="deleteMessage">{{t.deleteAccount}}</button>
        <a class="button plain" id="cancelButton" href="/account">{{t.cancel}}</a>
        </form>
        <dialog id="overlay" aria-label="{{t.removingLabel}}"><p>{{t.removing}}</p><progress
        aria-label="{{t.removingLabel}}"></progress></dialog>
        {{/content}}{{/layout}}
        """

    private static let progress = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <div id="progress" data-events="/account/delete/events" data-rows="{{t.stepRows}}"
        data-files="{{t.stepFiles}}" data-identity="{{t.stepIdentity}}" data-other="{{t.stepOther}}"
        data-running="{{t.stateRunning}}" data-done="{{t.stateDone}}">
        <progress aria-label="{{t.removingLabel}}"></progress>
        <ul id="steps" aria-live="polite">{{#steps}}<li>{{label}}: {{state}}</li>{{/steps}}</ul>
        </div>
        <p>{{t.progressIntro}}</p>
        <p><a class="button plain" id="lookAgain" href="/account/delete/progress">{{t.lookAgain}}</a></p>
        {{/content}}{{/layout}}
        """

    private static let attention = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <p>{{t.attentionText}} <code class="id">{{number}}</code></p>
        <p><a class="button plain" href="/account/delete/progress">{{t.lookAgain}}</a></p>
        {{/content}}{{/layout}}
        """

    private static let grace = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <p>{{graceText}}</p>
        {{#isSignedIn}}
        <form method="post" action="/account/delete/undo" id="undoForm" class="acts">
        {{>hidden}}
        <button id="undoButton">{{t.undo}}</button>
        <a class="button plain" href="/account">{{t.account}}</a>
        </form>
        {{/isSignedIn}}
        {{^isSignedIn}}<p><a class="button" id="undoLink" href="/account/delete">{{t.undo}}</a></p>{{/isSignedIn}}
        {{/content}}{{/layout}}
        """

    private static let done = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        <p>{{t.doneText}}</p>
        <ul>
        <li><a id="receiptLink" href="/account/delete/receipt" download>{{t.receiptRead}}</a></li>
        <li><a id="signedReceiptLink" href="/account/delete/receipt.jws" download>{{t.receiptSigned}}</a></li>
        </ul>
        <form method="post" action="/account/delete/finish">{{>hidden}}<button class="plain"
        id="finishButton">{{t.finish}}</button></form>
        {{/content}}{{/layout}}
        """

    private static let problem = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        {{#back}}<p><a class="button plain" href="{{.}}">{{t.back}}</a></p>{{/back}}
        {{/content}}{{/layout}}
        """
}
