// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite("The guides for adopting Farewell")
struct GuideTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Lines without the space around them, which is other in a guide than in a function.
    private static func lines(_ text: some StringProtocol) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: true).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func blocks(_ guide: String) -> [String] {
        guide.components(separatedBy: "```swift\n").dropFirst().map { lines($0.components(separatedBy: "\n```")[0]) }
    }

    @Test(
        "the Swift of each guide is compiled, letter for letter",
        arguments: zip(["supabase-swift", "amplify", "firebase"], ["SupabaseGuide", "AmplifyGuide", "FirebaseGuide"]))
    func compiled(_ guide: String, _ file: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/adopting/\(guide).md"), encoding: .utf8)
        let code = try String(
            contentsOf: Self.root.appending(path: "Tests/FarewellClientTests/Guide/\(file).swift"), encoding: .utf8)
        let compiled = Self.lines(code)
        let blocks = Self.blocks(text)
        let plans = text.components(separatedBy: "```yaml\n").count - 1
        let all = text.components(separatedBy: "```").count / 2
        #expect(blocks.count == all - plans && !blocks.isEmpty, "all of it is Swift, but for plans, which the connectors read")
        for block in blocks { #expect(compiled.contains(block), "\(block)") }
    }

    @Test("every guide there is has its code here")
    func all() throws {
        let guides = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "docs/adopting").path)
        #expect(guides.sorted() == ["amplify.md", "firebase.md", "supabase-swift.md"])
    }

    @Test("a block that differs by one word is not compiled")
    func different() {
        let blocks = Self.blocks("a\n```swift\n  let a = 1\n```\nb\n```swift\nlet b = 2\n```\n")
        #expect(blocks == ["let a = 1", "let b = 2"])
        #expect(!Self.lines("    let a = 11").split(separator: "\n").contains(Substring(blocks[0])))
    }
}
