// SPDX-License-Identifier: Apache-2.0

import TestFixtures
import Testing

@Suite("The guide for Supabase projects, word for word beside a simulated one", .serialized)
struct SupabaseGuideTests {
    /// The app of the replica, the two reference systems with tables of their own, and accounts with sessions alone.
    static let systems = ["starter", "coachme", "muse", "sessions"]

    @Test(
        "SB-1 SB-2 SB-3 SB-4 SB-5 SV-1 SV-3 SC-1 each command of the page works, curl and function delete users, HS256 and ES256",
        arguments: systems)
    func walk(_ system: String) async throws {
        let commands = [TestBinary.path("farewell"), TestBinary.path("farewell-sample")]
        let end = try await Python.run("Interop/supabase/walk.py", commands + [try TestServer.address(), system])
        #expect(end.status == 0 && end.output.hasSuffix("the server's log holds no secret\n"), "\(end)")
    }
}
