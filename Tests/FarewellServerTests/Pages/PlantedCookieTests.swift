// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSessions
@testable import FarewellServer
import Foundation
import HTTPTypes
import Testing

@Suite("Cookies that a stranger left in a browser")
struct PlantedCookieTests {
    private static let ticket = "__Host-farewell-ticket"
    private static let device = "__Host-farewell-device"

    private func signIn(_ person: ErasureMount.Person, _ browser: inout MountedBrowser) async throws {
        _ = try await browser.open("/account/delete")
        let answer = try await browser.send(
            "/account/sign-in", ["email": person.email, "password": ErasureMount.password, "next": "delete"])
        #expect(answer.status == 303, "\(answer)")
    }

    @Test("SC-3 the ticket of another user's erasure shows no signed-in user that their account is removed")
    func ticket() async throws {
        try await ErasureMount.with(pages: PageSettings()) { mount in
            let stranger = try await mount.person()
            let planted = try await mount.asked(by: stranger)
            _ = try await mount.requests.wait(for: try #require(UUID(uuidString: planted.id)), atMost: 60)

            let anna = try await mount.person()
            var browser = MountedBrowser(mount: mount)
            try await signIn(anna, &browser)
            let shown = try await browser.open("/account/delete")
            #expect(shown.text.contains(anna.email))
            browser.cookies[Self.ticket] = planted.ticket
            for path in ["/account/delete/progress", "/account/delete/receipt", "/account/delete/receipt.jws"] {
                let seen = try await mount.ask(.get, path, ["Cookie": field(browser)])
                #expect(seen.status == 303 && seen.headers[.location] == "/account/delete", "\(path) \(seen)")
            }
            let pressed = try await browser.send("/account/delete", [:])
            #expect(pressed.status == 303 && pressed.headers[.location] == "/account/delete", "\(pressed)")
            #expect(try await mount.isAccepted(browser.cookies["__Host-farewell-session"] ?? ""))
            // The page gives a ticket of her own, and then she leaves.
            _ = try await browser.open("/account/delete")
            #expect(browser.cookies[Self.ticket] != planted.ticket)
            let left = try await browser.send("/account/delete", [:])
            #expect(left.headers[.location] == "/account/delete/progress", "\(left)")
            let id = try #require(try await mount.requests.latest(of: anna.id)?.id)
            _ = try await mount.requests.wait(for: id, atMost: 60)
            #expect(try await browser.open("/account/delete/progress").text.contains("receiptLink"))
        }
    }

    private func field(_ browser: MountedBrowser) -> String {
        browser.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
    }

    @Test("SC-3 SRV-03 a planted device cookie does not become a known device of the user who signs in; the user's own stays")
    func device() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let anna = try await mount.person()
            let user = try #require(UUID(uuidString: anna.id))
            let planted = "a secret that a stranger knows"
            var browser = MountedBrowser(mount: mount)
            browser.cookies[Self.device] = planted
            try await signIn(anna, &browser)
            let given = try #require(browser.cookies[Self.device])
            #expect(given != planted)
            #expect(try await !mount.server.authority.knows(device: planted, of: user))
            #expect(try await mount.server.authority.knows(device: given, of: user))
            // Signed in again, the browser keeps what the account knows.
            browser.cookies["__Host-farewell-session"] = nil
            try await signIn(anna, &browser)
            #expect(browser.cookies[Self.device] == given)
            // Another person who signs in there gets another one.
            let berta = try await mount.person()
            browser.cookies["__Host-farewell-session"] = nil
            try await signIn(berta, &browser)
            #expect(browser.cookies[Self.device] != given)
        }
    }
}
