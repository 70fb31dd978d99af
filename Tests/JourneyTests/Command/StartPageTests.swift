// SPDX-License-Identifier: Apache-2.0

import TestFixtures
import Testing

@Suite("The page for newcomers")
struct StartPageTests {
    @Test("DX-1 each command of docs/start.md works as written and prints what the page shows", .timeLimit(.minutes(30)))
    func walk() async throws {
        let arguments = [TestBinary.path("farewell"), try await Python.freePort(), try TestServer.address()]
        let end = try await Python.run("Interop/start_page.py", arguments)
        #expect(end.status == 0 && end.output.hasSuffix("works as written\n"), "\(end)")
    }
}
