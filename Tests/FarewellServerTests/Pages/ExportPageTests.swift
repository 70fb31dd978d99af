// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import Foundation
import HTTPTypes
import Testing

@Suite("Users download their data on the pages")
struct ExportPageTests {
    private static func signedIn(_ person: ErasureMount.Person, _ mount: ErasureMount) async throws -> MountedBrowser {
        var browser = MountedBrowser(mount: mount)
        _ = try await browser.open("/account")
        _ = try await browser.send("/account/sign-in", ["email": person.email, "password": ErasureMount.password])
        return browser
    }

    @Test("EX-1 EX-3 without a script, the page has the button, the form, the progress, the archive, and its removal")
    func whole() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings(), exports: ExportRules()) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            var browser = try await Self.signedIn(anna, mount)
            for page in ["/account", "/account/delete"] {
                let shown = try await browser.open(page)
                #expect(shown.text.contains(#"href="/account/export">Download your data"#), "\(page) \(shown)")
            }
            let empty = try await browser.open("/account/export")
            #expect(empty.status == 200 && empty.text.contains(#"id="exportForm""#), "\(empty)")
            let forged = try await browser.send("/account/export", ["form": "theirs"])
            #expect(forged.status == 403, "\(forged)")
            _ = try await browser.open("/account/export")
            let asked = try await browser.send("/account/export", [:])
            #expect(asked.status == 303 && asked.headers[.location] == "/account/export", "\(asked)")
            var shown = try await browser.open("/account/export")
            while shown.text.contains(#"id="lookAgain""#) { shown = try await browser.open("/account/export") }
            #expect(shown.text.contains(#"id="exportDownload""#), "\(shown)")
            let archive = try await browser.open("/account/export/archive")
            #expect(archive.status == 200 && archive.text.hasPrefix("PK") && archive.headers[.contentType] == "application/zip")
            #expect(archive.headers[.disposition] == #"attachment; filename="export.zip""#)

            var theirs = try await Self.signedIn(other, mount)
            let nothing = try await theirs.open("/account/export/archive")
            #expect(nothing.status == 303, "\(nothing)")
            var nobody = MountedBrowser(mount: mount)
            let unknown = try await nobody.open("/account/export/archive")
            #expect(unknown.status == 303, "\(unknown)")
            _ = try await browser.open("/account/export")
            let removed = try await browser.send("/account/export/remove", [:])
            #expect(removed.status == 303, "\(removed)")
            let gone = try await browser.open("/account/export/archive")
            #expect(gone.status == 303, "\(gone)")
        }
    }

    @Test("EX-3 a user without a recent sign-in proves their identity again before an export is made")
    func stale() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings(), exports: ExportRules()) { mount in
            let anna = try await mount.person()
            var browser = try await Self.signedIn(anna, mount)
            _ = try await browser.open("/account/export")
            mount.ahead.withLock { $0 = 600 }
            let refused = try await browser.send("/account/export", [:])
            #expect(refused.text.contains("It has been a while since you signed in"), "\(refused)")
            let none = try await mount.ask(.get, "/v1/exports", token: anna.token)
            #expect(none.status == 404, "\(none)")
        }
    }

    @Test("EX-3 another browser with an old sign-in does not get the archive before its user proves their identity again")
    func otherBrowser() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings(), exports: ExportRules()) { mount in
            let anna = try await mount.person()
            var browser = try await Self.signedIn(anna, mount)
            var other = try await Self.signedIn(anna, mount)
            _ = try await browser.open("/account/export")
            _ = try await browser.send("/account/export", [:])
            var shown = try await browser.open("/account/export")
            while shown.text.contains(#"id="lookAgain""#) { shown = try await browser.open("/account/export") }
            mount.ahead.withLock { $0 = 600 }
            let archive = try await browser.open("/account/export/archive")
            #expect(archive.status == 200 && archive.text.hasPrefix("PK"), "\(archive)")
            let refused = try await other.open("/account/export/archive")
            #expect(refused.text.contains("It has been a while since you signed in"), "\(refused)")
        }
    }

    @Test("EX-3 where exports are not offered, no page mentions them")
    func unoffered() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let anna = try await mount.person()
            var browser = try await Self.signedIn(anna, mount)
            for page in ["/account", "/account/delete"] {
                let shown = try await browser.open(page)
                #expect(shown.status == 200 && !shown.text.contains("/account/export"), "\(page) \(shown)")
            }
            let absent = try await browser.open("/account/export")
            #expect(absent.status == 404, "\(absent)")
        }
    }
}
