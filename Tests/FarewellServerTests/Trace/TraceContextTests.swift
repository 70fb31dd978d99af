// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import Testing

@Suite("The trace of a call")
struct TraceContextTests {
    private let trace = "0af7651916cd43dd8448eb211c80319c"
    private let span = "b7ad6b7169203331"

    @Test("traceparent is read as in the W3C standard, and written the same")
    func read() throws {
        let parent = try #require(TraceContext(parent: "00-\(trace)-\(span)-01", state: "vendor=1"))
        #expect(parent.trace == trace && parent.span == span && parent.isSampled && parent.state == "vendor=1")
        #expect(parent.parent == "00-\(trace)-\(span)-01")
        let unsampled = try #require(TraceContext(parent: "00-\(trace)-\(span)-02", state: nil))
        #expect(!unsampled.isSampled && unsampled.parent.hasSuffix("-00"), "flags that we do not know are not passed on")
        #expect(TraceContext(parent: "01-\(trace)-\(span)-01-more", state: nil)?.trace == trace, "a later version")
        let long = String(repeating: "a", count: 513)
        for state in [long, "line\nfeed", "ü=1"] {
            #expect(TraceContext(parent: "00-\(trace)-\(span)-01", state: state)?.state == nil)
        }
    }

    @Test("a malformed value counts as absent")
    func malformed() {
        let zeros = String(repeating: "0", count: 32)
        let bad = [
            "", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-more", "00-\(trace)-\(span)-01x", "ff-\(trace)-\(span)-01",
            "00-\(zeros)-\(span)-01", "00-\(trace)-\(zeros.prefix(16))-01", "00-\(trace.uppercased())-\(span)-01",
            "00_\(trace)_\(span)_01", "0g-\(trace)-\(span)-01", "01-\(trace)-\(span)-01more",
        ]
        for text in bad { #expect(TraceContext(parent: text, state: nil) == nil, "\(text)") }
    }
}
