// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import HTTPTypes
import HummingbirdCore
import Testing

@Suite("The checks of a request before any action")
struct RequestRulesTests {
    @Test("Item 15: JSON must be an object with one reading, nested no deeper than allowed")
    func json() throws {
        let deep = String(repeating: "{\"a\":", count: 40) + "1" + String(repeating: "}", count: 40)
        let nul = ["{\"a\":\"x\\u0000\"}", "{\"a\":[{\"\\u0000\":1}]}"]
        for text in ["", "[]", "7", "{", "{\"a\":1,\"a\":2}", "{\"a\":\u{1}}", deep] + nul {
            #expect(throws: FarewellError.self) { _ = try JSONMembers(Array(text.utf8), depth: 32) }
        }
        let members = try JSONMembers(Array("{\"email\":\"a\",\"data\":{\"b\":1},\"n\":null}".utf8), depth: 32)
        #expect(try members.text("email") == "a")
        #expect(try members.text("n") == nil)
        #expect(throws: FarewellError.self) { _ = try members.text("data") }
        #expect(throws: FarewellError.self) { _ = try members.object("email") }
    }

    @Test(
        "the error of a refused body gives its true reason",
        arguments: [
            ("{\"a\":\"x\ty\"}", "control character"), ("{\"a\":\"\\ud83d\"}", "surrogate"), ("{\"a\":1,\"\\u0061\":2}", "twice"),
            ("{\"\\u00e9\":1,\"e\\u0301\":2}", "composed"),
        ])
    func reason(_ text: String, _ words: String) throws {
        let error = try #require(throws: FarewellError.self) { _ = try JSONMembers(Array(text.utf8), depth: 32) }
        #expect(error.message.contains(words), "\(error)")
    }

    @Test("a query is read as a form writes it: plus is a space, the first value of a name counts, an invalid code stays")
    func query() {
        let query = RouteRunner.query("sort=created_at+asc&filter=a%2Bb%40c&sort=other&none&empty=&odd=%zz&two=a=b&nul=%00")
        #expect(
            query == [
                "sort": "created_at asc", "filter": "a+b@c", "none": "", "empty": "", "odd": "%zz", "two": "a=b", "nul": "\u{0}",
            ])
        #expect(RouteRunner.query("").isEmpty)
    }

    @Test("Item 54: a request's own name is kept only where it is safe in a log")
    func identifier() throws {
        let fresh = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
        for bad in ["", "a b", String(repeating: "x", count: 65), "ü"] {
            var headers = HTTPFields()
            headers[.requestIdentifier] = bad
            #expect(RequestIdentifier.of(headers, fresh: { fresh }) == fresh.uuidString.lowercased())
        }
        #expect(RequestIdentifier.of([.requestIdentifier: "trace-1.2_3"], fresh: { fresh }) == "trace-1.2_3")
    }

    @Test("Item 31: an origin is returned only from the list, and the wildcard never allows credentials")
    func origins() {
        let listed = CrossOrigin(origins: ["https://app.example"])
        #expect(listed.fields(for: "https://app.example")[.accessControlAllowOrigin] == "https://app.example")
        #expect(listed.fields(for: "https://app.example")[.accessControlAllowCredentials] == "true")
        #expect(listed.fields(for: "https://evil.example")[.accessControlAllowOrigin] == nil)
        let open = CrossOrigin(origins: ["*"])
        #expect(open.fields(for: "https://evil.example")[.accessControlAllowOrigin] == "*")
        #expect(open.fields(for: "https://evil.example")[.accessControlAllowCredentials] == nil)
        #expect(open.fields(for: nil).isEmpty)
    }

    @Test("a page of an allowed origin may read every field that the description names for an answer")
    func exposed() {
        let exposed = CrossOrigin(origins: ["*"]).fields(for: "https://app.example")[.accessControlExposeHeaders] ?? ""
        for field in [
            "Location", "Retry-After", "X-Request-Id", "X-Sb-Error-Code", "Preference-Applied", "Content-Disposition",
        ] {
            #expect(exposed.components(separatedBy: ", ").contains(field), "\(field)")
        }
        let other = CrossOrigin(origins: ["https://other.example"]).fields(for: "https://app.example")
        #expect(other[.accessControlExposeHeaders] == nil)
    }

    @Test("SC-2 origins, cookies, fields of forms and words are bytes: letters that Unicode takes for others are others")
    func exactText() {
        let kelvin = "\u{212A}"
        let origins = CrossOrigin(origins: ["https://K.example"])
        #expect(origins.fields(for: "https://K.example")[.accessControlAllowOrigin] != nil)
        #expect(origins.fields(for: "https://\(kelvin).example")[.accessControlAllowOrigin] == nil)
        let form = FormFields("\(kelvin)=a&K=b".utf8)
        #expect(form["K"] == "b" && form[kelvin] == "a")
        let cookies = PageCookies([.cookie: "farewell-session=K; farewell-session=\(kelvin)"], isSecure: false)
        #expect(cookies[.session] == nil, "two values, so neither counts")
        #expect("CHUNKED".isWord("chunked") && "chunked".isWord("chunked") && !"chun\(kelvin)ed".isWord("chunked"))
        #expect(!"chunke".isWord("chunked") && !"100-continuE ".isWord("100-continue") && "100-Continue".isWord("100-continue"))
        #expect(!"\u{10}00-continue".isWord("100-continue"), "only letters have a case")
    }

    @Test("the preflight names the methods and fields of the contract")
    func preflight() {
        let headers = CrossOrigin(origins: ["*"]).preflight().headers
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            #expect(headers[.accessControlAllowMethods]?.contains(method) == true)
        }
        for field in ["Authorization", "X-Client-Info", "X-Supabase-Api-Version", "apikey", "X-JWT-AUD"] {
            #expect(headers[.accessControlAllowHeaders]?.contains(field) == true)
        }
    }
}
