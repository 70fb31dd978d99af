// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
@testable import FarewellServer
import Foundation
import HTTPTypes
import HummingbirdCore
import Testing

@Suite("Rules of the pages")
struct PageRulesTests {
    @Test("every language has the texts that English has, and every parameter of a template")
    func words() {
        let keys = Set(PageWords.english.keys)
        for (language, table) in PageWords.tables {
            #expect(Set(table.keys) == keys, "\(language): \(keys.symmetricDifference(table.keys))")
            for (key, text) in table {
                let slots = { (text: String) in text.matches(of: #/\{[a-z]+\}/#).map { String($0.output) } }
                #expect(slots(text) == slots(PageWords.english[key] ?? ""), "\(language) \(key)")
            }
        }
        let all = Set(PageWords(.english).all.keys)
        for (name, text) in PageLibrary.templates {
            for match in text.matches(of: #/\{\{t\.([A-Za-z]+)\}\}/#) {
                #expect(all.contains(String(match.1)), "\(name) wants \(match.1)")
            }
        }
    }

    @Test("every template is readable, escapes its values, and has no inline code")
    func templates() throws {
        let library = PageLibrary(PageSettings())
        let nasty = #""><script>alert('x')</script>&"#
        let values: [String: Any] = [
            "email": nasty, "signedInAs": nasty, "sessions": [["device": nasty, "endLabel": nasty]], "problem": nasty,
            "runs": [["id": nasty, "cause": nasty]], "hasRuns": true, "letters": [["reason": nasty]], "holdReason": nasty,
            "going": [["place": nasty, "count": nasty]], "message": nasty, "graceText": nasty, "number": nasty,
            "operator": nasty, "onward": nasty, "workers": [["owner": nasty]], "hasWorkers": true, "hasOutbox": true, "mayAct": true,
            "outbox": [["endpoint": nasty, "hasDead": true]], "steps": [["name": nasty, "label": nasty]], "isHeld": true, "search": nasty,
            "state": nasty, "idToken": nasty, "code": nasty, "cause": nasty, "hasCause": true,
            "reason": nasty, "holdProblem": nasty,
        ]
        for name in PageLibrary.templates.keys where !ConsoleTemplates.parts.union(["layout", "hidden"]).contains(name) {
            let page = library.text(name, title: nasty, PageWords(.english), values)
            #expect(page.count > 500 && page.contains("&lt;script&gt;alert"), "\(name) is empty")
            #expect(!page.contains("<script>") && !page.contains(nasty), "\(name) writes text of a stranger")
        }
        for (name, text) in PageLibrary.templates {
            #expect(!text.contains("{{{") && !text.contains("{{&"), "\(name) writes what it does not escape")
            #expect(text.firstMatch(of: #/<style|<script>|\sstyle=|\son[a-z]+=/#) == nil, "\(name) has something inline")
        }
    }

    @Test("Item 31: a form is accepted only with its token, in its browser, for its session, and from its origin")
    func forms() {
        let guarding = PageGuard(key: .ofTest(), origin: "https://auth.example", isSecure: true)
        let token = guarding.token(visit: "a", session: "s")
        #expect(guarding.isOurs(token, visit: "a", session: "s"))
        for (visit, session) in [("b", "s"), ("a", "t"), ("a", nil), (nil, "s")] as [(String?, String?)] {
            #expect(!guarding.isOurs(token, visit: visit, session: session))
        }
        #expect(!guarding.isOurs("", visit: "a", session: "s"))
        #expect(!PageGuard(key: .ofTest(), origin: "", isSecure: true).isOurs(token, visit: "a", session: "s"))
        let answers: [(HTTPFields, Bool)] = [
            ([.fetchSite: "same-origin"], true), ([.fetchSite: "same-site"], false), ([.fetchSite: "cross-site"], false),
            ([.fetchSite: "none"], false), ([.origin: "https://auth.example"], true), ([.origin: "https://own:1"], true),
            ([.origin: "https://evil.example"], false), ([.origin: "null"], false), ([:], false), ([.origin: "https://"], false),
            ([.fetchSite: "cross-site", .origin: "https://auth.example"], false),
        ]
        for (headers, isFine) in answers { #expect(guarding.isFromHere(headers, authority: "own:1") == isFine, "\(headers)") }
        #expect(!guarding.isFromHere([.origin: "https://"], authority: ""))
        #expect(PageGuard.origin(of: "https://auth.example:8443/auth/v1") == "https://auth.example:8443")
        #expect(PageGuard.origin(of: "nonsense") == "")
    }

    @Test("SC-4 without Sec-Fetch-Site a page of the same host with another scheme is foreign", arguments: [true, false])
    func scheme(isSecure: Bool) {
        let (own, other) = isSecure ? ("https", "http") : ("http", "https")
        for origin in ["\(own)://auth.example", ""] {
            let guarding = PageGuard(key: .ofTest(), origin: origin, isSecure: isSecure)
            #expect(guarding.isFromHere([.origin: "\(own)://auth.example"], authority: "auth.example"))
            for named in ["\(other)://auth.example", "evil://auth.example", "auth.example", "://auth.example", ""] {
                #expect(!guarding.isFromHere([.origin: named], authority: "auth.example"), "\(named)")
            }
        }
    }

    @Test("a cookie is hidden from scripts and other sites, and under TLS is bound to this host")
    func cookies() {
        #expect(
            PageCookie.session.field("v", isSecure: true)
                == "__Host-farewell-session=v; Path=/; HttpOnly; SameSite=Strict; Secure")
        #expect(PageCookie.note.field("", isSecure: false).hasSuffix("; Max-Age=0"))
        for cookie in PageCookie.allCases {
            let field = cookie.field("v", isSecure: false)
            #expect(field.contains("HttpOnly; SameSite=Strict") && !field.contains("Domain"))
        }
        let headers: HTTPFields = [.cookie: "a=1; farewell-session=one; farewell-session=one; farewell-visit=; bad"]
        let cookies = PageCookies(headers, isSecure: false)
        #expect(cookies[.session] == "one" && cookies[.visit] == nil && cookies[.ticket] == nil)
        #expect(PageCookies(headers, isSecure: true)[.session] == nil, "a cookie without the prefix counts for nothing")
    }

    @Test(
        "SC-1 a cookie from a page of a neighbouring host replaces no cookie of the pages",
        arguments: [
            "=__Host-farewell-session=theirs", "==__Host-farewell-session=theirs", " =__Host-farewell-session=theirs",
        ])
    func plantedCookies(text: String) {
        let own = "__Host-farewell-session=mine"
        for order in ["\(text); \(own)", "\(own); \(text)"] {
            #expect(PageCookies([.cookie: order], isSecure: true)[.session] == "mine", "\(order)")
        }
        #expect(PageCookies([.cookie: text], isSecure: true)[.session] == nil)
        let twice: HTTPFields = [.cookie: "__Host-farewell-session=theirs; \(own)"]
        #expect(PageCookies(twice, isSecure: true)[.session] == nil, "of two values neither counts")
    }

    @Test(
        "a form's fields are read as in the URL standard, and malformed input yields none",
        arguments: [
            ("a=1&b=x+y%20z", ["a": "1", "b": "x y z"]), ("a=1&a=2", ["a": "1"]), ("a=%C3%A4", ["a": "ä"]), ("a=%zz%4", ["a": "%zz%4"]),
            ("a=%FF", ["a": ""]), ("a=%00x", ["a": ""]), ("a", ["a": ""]), ("=&&&", ["a": ""]), ("", ["a": ""]), ("a=b=c", ["a": "b=c"]),
            ("%61=%2B", ["a": "+"]), ("a=%4", ["a": "%4"]), ("a=%41", ["a": "A"]),
        ])
    func fields(body: String, holds: [String: String]) {
        let form = FormFields(body.utf8)
        for (name, value) in holds { #expect(form[name] == value) }
    }

    @Test(
        "a browser is shown by its common name",
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/156.0.0.0 Safari/537.36", "Chrome, Linux"),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) Version/19.1 Safari/604.1", "Safari, iPhone"),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox, Windows"), ("curl/8", nil),
        ])
    func browsers(agent: String, name: String?) { #expect(BrowserName.of(agent) == name) }

    @Test("DX-3 a date keeps the order of its parts in Arabic text, and other languages need no direction marks for it")
    func direction() {
        #expect(PageWords(.arabic)("graceText", "date", "2036-01-31").contains("\u{2068}2036-01-31\u{2069}"))
        for copy in [Copy.english, .german, .spanish, .japanese] {
            let words = PageWords(copy)("graceText", "date", "2036-01-31")
            #expect(words.contains("2036-01-31") && !words.contains("\u{2068}"), "\(words)")
        }
    }

    @Test("an app's own texts replace the built-in ones")
    func ownWords() throws {
        let text = "en: {deleteMessage: 'Your diary goes.', signedInAs: 'Hello {email}'}\nde: {cancel: 'Nein'}"
        let words = try PageWordsFile.parse(text, named: "words.yaml")
        #expect(PageWords(.english, replacing: words)["deleteMessage"] == "Your diary goes.")
        #expect(PageWords(.english, replacing: words).all["deleteMessage"] == "Your diary goes.")
        #expect(PageWords(.english, replacing: words)("signedInAs", "email", "a@b") == "Hello a@b")
        #expect(PageWords(for: [.languages: "de"], replacing: words)["cancel"] == "Nein")
        #expect(PageWords(for: [.languages: "ja;q=0.5, fr, de;q=0.8"], replacing: words)["cancel"] == "Nein", "by weight")
        #expect(PageWords(for: [.languages: "de;q=0, en;q=0.1"], replacing: words)["cancel"] != "Nein", "0 is a refusal")
        #expect(PageWords(.spanish, replacing: words)["cancel"] == "Cancelar")
    }

    @Test(
        "an error in an app's own texts is reported with line and column",
        arguments: [
            ("en: {nothing: 'x'}", "1:6: No page has the text “nothing”."),
            ("en: {cancel: 'x'}\ntlh: {cancel: 'x'}", "2:1: The pages do not"),
            ("en:\n  cancel: 'x'\n  signedInAs: 'Hello'", "3:15: signedInAs has other variables"),
            ("en: {cancel: No}", "1:14: cancel is not a text."), ("en: {cancel: }", "1:14: cancel is not a text."),
            ("en: [a]", "1:5: These are not names with texts."), ("en: 1", "1:5: These are not names with texts."),
            ("- en", "1:1: These are not languages"), ("", "1:1: These are not languages"),
            ("en: {cancel: 'x'}\n{", "This is not YAML: "), ("en: {cancel: 'x', cancel: 'y'}", ": The key “cancel” appears twice."),
        ])
    func wrongWords(_ text: String, _ words: String) {
        let error = #expect(throws: FarewellError.self) { try PageWordsFile.parse(text, named: "words.yaml") }
        let told = error?.message ?? ""
        #expect(told.hasPrefix("words.yaml:") && told.contains(words), "\(told)")
    }

    @Test("a colour that could end a style sheet is refused", arguments: ["red", "#12345", "#1234567", "#12345;", "}", "#ggg000", ""])
    func colours(text: String) { #expect(throws: FarewellError.self) { try PageSettings.colour(text) } }

    @Test("BX-2 a preview in a user's words adds up deleted data and gives the reason for remaining data")
    func preview() {
        let (period, until) = (Period(10, .year), CalendarDay(year: 2036, month: 1, day: 31))
        let preview = Preview(
            places: [
                .init(place: "public.messages", rule: .erase, count: 3), .init(place: "archive.messages", rule: .erase, count: 2),
                .init(place: "public.context_profiles", rule: .erase, count: 1), .init(place: "public.empty", rule: .erase, count: 0),
                .init(place: "public.invoices", rule: .retain(Retention(reason: "Tax law", period: period)), count: 4, until: until),
                .init(place: "public.votes", rule: .anonymise, count: 5),
            ], blockers: [])
        let list = PreviewList(preview, PageWords(.english))
        #expect(list.going == [["place": "Context profiles", "count": "1"], ["place": "Messages", "count": "5"]])
        #expect(list.staying.map { $0["reason"] } == ["Tax law", "Kept without anything that identifies you"])
        #expect(list.staying.map { $0["place"] } == ["Invoices", "Votes"])
        #expect(list.staying.map { $0["until"] } == ["2036-01-31", nil], "an entry without a last day names none")
    }

    @Test(
        "DX-1 a preview on a page uses the plan's names in the page's language, and otherwise the plan's name or the table's",
        arguments: [
            (Copy.german, ["Dein Konto", "Deine Notizen", "Deine Sitzungen", "Invoices", "Votes"]),
            (Copy.english, ["Invoices", "Votes", "Your account", "Your notes", "Your sessions"]),
            (Copy.spanish, ["Invoices", "Tu cuenta", "Tus sesiones", "Votes", "Your notes"]),
        ])
    func labels(copy: Copy, names: [String]) {
        let labels = ["en": "Your notes", "de": "Deine Notizen"]
        let preview = Preview(
            places: [
                .init(place: "public.notes", rule: .erase, count: 1, label: "Your notes", labels: labels),
                .init(place: "public.invoice_lines", rule: .erase, count: 1, label: "Invoices"),
                .init(place: "public.votes", rule: .erase, count: 1), .init(place: "auth.users", rule: .erase, count: 1),
                .init(place: "auth_sessions", rule: .erase, count: 2),
            ], blockers: [])
        #expect(PreviewList(preview, PageWords(copy)).going.map { $0["place"] } == names)
    }

    @Test("DX-1 a preview on a page has a word for each table of the session authority", arguments: Array(PageWords.tables.keys))
    func ownTables(language: String) throws {
        let table = try #require(PageWords.tables[language])
        for name in AuthorityTableName.personal {
            let word = try #require(PreviewList.ownTables["auth_" + name], "\(name)")
            #expect(table[word] != nil, "\(name)")
        }
    }

    @Test("a preview states that an expired retention is ended next, on the page and in JSON")
    func retentionIsOver() throws {
        let rule = Rule.retain(Retention(reason: "Tax law", period: Period(10, .year)))
        let day = try #require(CalendarDay(parsing: "2024-05-01"))
        let preview = Preview(
            places: [
                .init(place: "bills", rule: rule, count: 2, until: day),
                .init(place: "invoices", rule: rule, count: 4, until: day, isOver: true),
            ], blockers: [])
        let list = PreviewList(preview, PageWords(.english))
        #expect(list.staying.map { $0["until"] } == ["2024-05-01", "2024-05-01; due next"])
        let told = try JSONSerialization.jsonObject(with: JSONEncoder().encode(PreviewView(preview)))
        let places = try #require((told as? [String: Any])?["places"] as? [[String: Any]])
        #expect(places.map { $0["is_over"] as? Bool } == [false, true])
    }
}
