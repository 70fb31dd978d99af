// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import HTTPTypes
import HummingbirdCore
import Testing

@Suite("ETags of files")
struct EntityTagTests {
    @Test(
        "a browser that has a file does not receive it again, whether its ETag is alone, in a list or weak",
        arguments: [
            ("MARK", true), (" MARK ", true), ("W/MARK", true), ("\"a\", MARK", true), ("\"a\",\tW/MARK , \"b\"", true), ("*", true),
            ("", false), ("\"a\"", false), ("w/MARK", false), ("W/ MARK", false), ("W/*", false), ("MARK\"b\"", false), (",,", false),
        ])
    func known(field: String, isKnown: Bool) throws {
        let library = PageLibrary(PageSettings())
        let first = library.file(Array("a{}".utf8), type: "text/css", [:])
        let mark = try #require(first.headers[.eTag])
        #expect(first.status == .ok)
        let again = library.file(
            Array("a{}".utf8), type: "text/css", [.ifNoneMatch: field.replacing("MARK", with: mark)])
        #expect(again.status == (isKnown ? .notModified : .ok))
        #expect(again.headers[.eTag] == mark && again.headers[.cacheControl] == first.headers[.cacheControl])
        #expect(again.body.contentLength == (isKnown ? 0 : 3))
    }
}
