// SPDX-License-Identifier: Apache-2.0

/// The page on which users download their data.
enum ExportTemplate {
    static let export = """
        {{<layout}}{{$content}}
        <h1>{{title}}</h1>
        {{#isAskable}}
        <p>{{t.exportIntro}}</p>
        <form method="post" action="/account/export" id="exportForm" class="acts">
        {{>hidden}}
        <button id="exportRequest">{{t.exportAction}}</button>
        <a class="button plain" id="cancelButton" href="/account">{{t.cancel}}</a>
        </form>
        {{/isAskable}}
        {{#isWorking}}
        <p id="exportWorking">{{t.exportWorking}}</p>
        <progress aria-labelledby="exportWorking" max="{{total}}" value="{{done}}"></progress>
        <p><a class="button plain" id="lookAgain" href="/account/export">{{t.lookAgain}}</a></p>
        {{/isWorking}}
        {{#ready}}
        <p>{{.}}</p>
        <p><a class="button" id="exportDownload" href="/account/export/archive" download>{{t.exportDownload}}</a></p>
        {{/ready}}
        {{^isAskable}}
        <form method="post" action="/account/export/remove" id="exportRemoveForm" class="acts">
        {{>hidden}}
        <button class="plain" id="exportRemove">{{t.exportRemove}}</button>
        <a class="button plain" href="/account">{{t.back}}</a>
        </form>
        {{/isAskable}}
        {{/content}}{{/layout}}
        """
}
