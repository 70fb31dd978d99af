// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("The guide for Supabase projects, word for word, with a simulated project", .serialized)
struct SupabaseGuideTests {
    /// The app of the replica, the two reference systems with tables of their own, and accounts with sessions alone: the
    /// reference systems through a pooler that follows the primary, the app by the addresses of both servers.
    static let systems = ["starter", "coachme", "muse", "sessions"]

    @Test(
        "SB-1 SB-2 SB-3 SB-4 SB-5 SV-1 SV-3 SC-1 OP-1 OP-2 OP-5 the page's commands work: curl, function, pooler, migrations, failover",
        arguments: systems)
    func walk(_ system: String) async throws {
        let commands = [TestBinary.path("farewell"), TestBinary.path("farewell-sample")]
        let end = try await Python.run("Interop/supabase/walk.py", commands + [system])
        #expect(end.status == 0 && end.output.hasSuffix("the server's log holds no secret\n"), "\(end)")
    }

    @Test("SB-1 the comparison with the usual deletion functions prepares its app as the guide does")
    func comparison() async throws {
        let end = try await Python.run("Interop/supabase/compare.py", [TestBinary.path("farewell")])
        #expect(end.status == 0 && end.output == "ok    the app's folder is prepared\n", "\(end)")
    }
}
