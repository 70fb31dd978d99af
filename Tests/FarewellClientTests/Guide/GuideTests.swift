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

    /// A page's code, and the files that compile it: here, and beside the tests of the screens.
    static let pages = [
        ("supabase-swift", ["SupabaseGuide", "SupabaseScreens"]), ("amplify", ["AmplifyGuide", "AmplifyScreens"]),
        ("firebase", ["FirebaseGuide", "FirebaseScreens"]), ("own-server", ["OwnServerGuide", "OwnServerScreens"]),
        ("participants", ["ParticipantsGuide"]),
    ]

    /// Pages without Swift, whose commands another test runs.
    private static let walked = ["supabase.md"]

    private static func text(_ page: String) throws -> String {
        try String(contentsOf: root.appending(path: "docs/adopting/\(page).md"), encoding: .utf8)
    }

    @Test("APP-07 DX-3 the Swift of each guide is compiled, letter for letter", arguments: pages)
    func compiled(_ page: String, _ files: [String]) throws {
        let text = try Self.text(page)
        let code = try files.map { file in
            let folder = file.hasSuffix("Screens") ? "FarewellUITests" : "FarewellClientTests"
            return try String(contentsOf: Self.root.appending(path: "Tests/\(folder)/Guide/\(file).swift"), encoding: .utf8)
        }
        let compiled = Self.lines(code.joined(separator: "\n"))
        let blocks = Self.blocks(text)
        let plans = text.components(separatedBy: "```yaml\n").count - 1
        let all = text.components(separatedBy: "```").count / 2
        #expect(blocks.count == all - plans && !blocks.isEmpty, "all of it is Swift, but for plans, which the connectors read")
        for block in blocks { #expect(compiled.contains(block), "\(block)") }
    }

    @Test("APP-07 the guide for each kind of app has its screens in SwiftUI and in UIKit, with at most forty lines of code each")
    func short() throws {
        for (page, files) in Self.pages where files.count == 2 {
            let text = try Self.text(page)
            for heading in ["## SwiftUI\n", "## UIKit\n"] {
                let section = try #require(text.components(separatedBy: heading).dropFirst().first, "\(page): \(heading)")
                let code = Self.blocks(section.components(separatedBy: "\n## ")[0])
                #expect(code.count == 1 && code[0].split(separator: "\n").count <= 40, "\(page): \(heading)")
            }
        }
    }

    @Test("CF-6 the guide's adapters for Kingfisher and RevenueCat have at most five lines")
    func adapters() throws {
        let text = try Self.text("participants")
        for heading in ["## Kingfisher\n", "## RevenueCat\n"] {
            let section = try #require(text.components(separatedBy: heading).dropFirst().first, "\(heading)")
            let code = Self.blocks(section.components(separatedBy: "\n## ")[0])
            #expect(code.count == 1 && code[0].split(separator: "\n").count <= 5, "\(heading)")
        }
    }

    @Test("APP-07 AP-3 no guide names a file as the place for tokens, except for Linux")
    func keychain() throws {
        for (page, _) in Self.pages { #expect(try !Self.text(page).contains("FileTokenStore")) }
    }

    @Test("AP-3 every guide keeps the device's state in a folder of its own, and not in the container itself")
    func stateFolder() throws {
        let docc = Self.root.appending(path: "Sources/FarewellClient/FarewellClient.docc")
        let articles = try FileManager.default.contentsOfDirectory(at: docc, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" }
        let texts = try Self.pages.map { try Self.text($0.0) } + articles.map { try String(contentsOf: $0, encoding: .utf8) }
        #expect(texts.contains { $0.contains("StateFolder(container + \"/account\")") })
        #expect(!texts.contains { $0.contains("StateFolder(container)") })
    }

    @Test("every guide has its code here")
    func all() throws {
        let guides = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "docs/adopting").path)
        #expect(guides.sorted() == (Self.pages.map { $0.0 + ".md" } + Self.walked).sorted())
        for page in Self.walked { #expect(try Self.blocks(Self.text(String(page.dropLast(3)))).isEmpty, "\(page)") }
    }

    @Test("a block that differs by one word does not compile")
    func different() {
        let blocks = Self.blocks("a\n```swift\n  let a = 1\n```\nb\n```swift\nlet b = 2\n```\n")
        #expect(blocks == ["let a = 1", "let b = 2"])
        #expect(!Self.lines("    let a = 11").split(separator: "\n").contains(Substring(blocks[0])))
    }
}
