// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import Hummingbird
import Testing

@Suite("The OpenAPI description")
struct OpenAPIDocumentTests {
    /// Quotes, escapes, every control character, the separators that JavaScript breaks lines at, and emoji.
    private static let hostile =
        String(String.UnicodeScalarView((0..<0x20).compactMap(Unicode.Scalar.init)))
        + "\"\\/</script>\u{7F}\u{2028}\u{2029}\u{FEFF}e\u{301}👩🏽‍🚀"

    @Test("for any text of a route, the description is JSON with the same content")
    func hostileText() throws {
        let text = Self.hostile
        let route = Route(
            .post, "/\(text)",
            RouteOperation(
                id: text, summary: text, tag: text,
                parameters: [.init(name: text, place: .query, schema: .oneOfTexts([text]), meaning: text)],
                body: .init(schema: .object([.must(text, .text)])),
                answers: [200: .init(meaning: text, schema: .formatted(text), type: text)],
                links: [.init(operation: text, parameter: text, pointer: text)])
        ) { _ in Response(status: .ok) }

        let data = Data(try OpenAPIDocument.text([route]).utf8)
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let operation = try #require(paths["/\(text)"]?["post"])
        #expect(operation["operationId"] as? String == text && operation["summary"] as? String == text)
        #expect(operation["tags"] as? [String] == [text])
        let parameter = try #require((operation["parameters"] as? [[String: Any]])?.first)
        #expect(parameter["name"] as? String == text && parameter["description"] as? String == text)
        #expect((parameter["schema"] as? [String: Any])?["enum"] as? [String] == [text])
        let answer = try #require((operation["responses"] as? [String: [String: Any]])?["200"])
        #expect(answer["description"] as? String == text)
        let content = try #require(answer["content"] as? [String: [String: [String: Any]]])
        #expect(content[text]?["schema"]?["format"] as? String == text)
        let link = try #require((answer["links"] as? [String: [String: Any]])?[text])
        #expect(link["operationId"] as? String == text)
        #expect(link["parameters"] as? [String: String] == [text: "$response.body#\(text)"])
        // Compared scalar by scalar: texts that are equal to Swift may differ in their normal form.
        let summary = try #require(operation["summary"] as? String)
        #expect(Array(summary.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test("of two routes with one path and one method the first is described")
    func twice() throws {
        func route(_ id: String) -> Route {
            Route(.get, "/a", RouteOperation(id: id, summary: id, tag: "t", answers: [:])) { _ in Response(status: .ok) }
        }
        let data = Data(try OpenAPIDocument.text([route("first"), route("second")]).utf8)
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        #expect(paths["/a"]?["get"]?["operationId"] as? String == "first")
    }

    @Test("SC-2 the description is made once, however often strangers request it, and again only after a failure")
    func once() throws {
        let calls = Guarded(0)
        let description = KeptDescription {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            if call == 1 { throw FarewellError("test.failure", .tryAgain, "It failed.") }
            return "{}"
        }
        #expect(throws: FarewellError.self) { try description.text() }
        for _ in 1...3 { #expect(try description.text() == "{}") }
        #expect(calls.withLock { $0 } == 2)
    }
}
