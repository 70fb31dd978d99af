// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite("Paths that a proxy could read differently from the router")
struct PlainPathTests {
    @Test("SC-4 a path is plain where no part is empty, is a dot, or holds a separator, also in percent encoding")
    func plain() {
        for path in ["/", "/a", "/auth/v1/user", "/v1/erasures/a.b", "/a..b", "/...", "/.well-known/x", "/a%20b", "/%61", "/%zz", "/a/"] {
            #expect(PlainPath.isPlain(path), "\(path)")
        }
        for path in [
            "", "a", "*", "//", "//a", "/a//b", "/a//", "/.", "/..", "/a/../b", "/a/./b", "/%2e", "/%2E%2e/a", "/.%2e/a", "/a%2fb",
            "/a%2Fb", "/a\\b", "/a%5cb", "/a%00b", "/%2f",
        ] {
            #expect(!PlainPath.isPlain(path), "\(path)")
        }
    }

    @Test("SC-4 no route answers a path that evades a proxy's rule: every such path gets 404")
    func everyRoute() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            for route in mount.server.routes + mount.server.pageRoutes {
                let path = route.path.replacing("{id}", with: "00000000-0000-4000-8000-000000000000")
                let inner = "/" + path.dropFirst().replacing("/", with: "//", maxReplacements: 1)
                var others = ["/\(path)", "\(path)//", "/.\(path)", "/x/..\(path)", "/%2e\(path)", "/%2f\(path.dropFirst())"]
                if inner != path { others.append(inner) }
                for other in others {
                    for method in [route.method, .head, .trace] {
                        let answer = try await mount.client.execute(uri: other, method: method)
                        #expect(answer.status == .notFound, "\(method) \(other) \(answer.status)")
                    }
                }
            }
        }
    }
}
