// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("The Edge Functions of deploy/supabase")
struct EdgeFunctionTests {
    @Test("SB-4 SV-1 the functions forward only token and keys, answer pages, and explain errors in friendly words, under Deno")
    func functions() async throws {
        let end = try await Python.run("Interop/edge_function.py", [])
        #expect(end.status == 0 && end.output.contains("an address that is none"), "\(end)")
    }
}
