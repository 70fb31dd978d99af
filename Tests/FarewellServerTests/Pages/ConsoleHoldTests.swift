// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import Foundation
import HTTPTypes
import Testing

@Suite("The console's form for a hold")
struct ConsoleHoldTests {
    private static func signedIn(_ mount: ErasureMount) async throws -> MountedBrowser {
        var browser = MountedBrowser(mount: mount)
        _ = try await browser.open("/console")
        browser.cookies["__Host-farewell-console"] = try await mount.consoleCookie("bb", role: .operates)
        return browser
    }

    @Test("BX-9 a reason that is too long or empty is refused beside the form, which keeps what was typed")
    func refusedReasons() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let anna = try await mount.person()
            let id = try await mount.asked(by: anna).id
            let number = try #require(UUID(uuidString: id))
            var browser = try await Self.signedIn(mount)
            let page = try await browser.open("/console/runs/\(id)")
            #expect(page.text.contains(#"name="reason" maxlength="1000" required value=""#) && !page.text.contains("holdProblem"))
            let long = "<" + String(repeating: "ä", count: 1_000)
            let good = String(long.dropLast())
            let cases = [(long, "has 1001 characters"), ("", "is empty"), (" \n\t ", "is empty")]
            for (reason, why) in cases {
                let refused = try await browser.send("/console/hold", ["id": id, "reason": reason])
                #expect(refused.status == 400 && refused.text.contains(why), "\(refused.status)")
                #expect(refused.text.contains(#"id="holdProblem" role="alert""#) && refused.text.contains(#"aria-invalid="true""#))
                let kept = reason.replacing("<", with: "&lt;")
                #expect(refused.text.contains("value=\"\(kept)\""), "the form keeps the reason")
                #expect(try await mount.requests.erasure(number)?.holdReason == nil)
            }
            let accepted = try await browser.send("/console/hold", ["id": id, "reason": " \(good) "])
            #expect(accepted.status == 303)
            #expect(try await mount.requests.erasure(number)?.holdReason == good)
            let again = try await browser.send("/console/hold", ["id": id, "reason": long])
            #expect(again.status == 400 && again.text.contains(#"id="problem""#) && !again.text.contains("holdProblem"))
        }
    }

    @Test("BX-9 a form about an erasure that does not exist says so", arguments: ["hold", "end-hold", "release"])
    func unknownErasure(act: String) async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            var browser = try await Self.signedIn(mount)
            _ = try await browser.open("/console/sessions")
            for id in ["", "x"] + (act == "release" ? [] : [UUID().uuidString]) {
                let answer = try await browser.send("/console/\(act)", ["id": id, "reason": "r"])
                #expect([404, 409].contains(answer.status) && answer.text.contains("There is no such erasure"), "\(answer)")
            }
        }
    }
}
