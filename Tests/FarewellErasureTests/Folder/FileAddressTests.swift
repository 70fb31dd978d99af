// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellErasure
import Foundation
import Testing

@Suite("Files named by addresses")
struct FileAddressTests {
    private static let root = "/srv/app/media"

    private func paths(_ text: String) -> [String] { FileAddress(text, root: Self.root).paths.map(\.text) }

    @Test("SQL-30 a path, an address and an escaped name lead to the same file below the root")
    func resolved() {
        let cases: [(String, [String])] = [
            ("avatars/one.png", ["avatars/one.png"]), ("./avatars//one.png", ["avatars/one.png"]),
            ("avatars/my%20photo.png", ["avatars/my%20photo.png", "avatars/my photo.png"]),
            ("avatars/two.png?v=2", ["avatars/two.png?v=2", "avatars/two.png"]),
            ("avatars/two.png#top", ["avatars/two.png#top", "avatars/two.png"]),
            ("media/avatars/one.png", ["media/avatars/one.png", "avatars/one.png"]),
            ("/media/avatars/one.png", ["avatars/one.png"]), ("/app/media/one.png", ["one.png"]),
            ("/srv/app/media/one.png", ["one.png"]), ("file:///srv/app/media/one.png", ["one.png"]),
            ("https://cdn.example.org/media/a%20b.png?v=2", ["a%20b.png?v=2", "a%20b.png", "a b.png"]),
            ("HTTP://cdn.example.org:8080/media/one.png", ["one.png"]), ("//cdn.example.org/media/one.png", ["one.png"]),
            ("100%.png", ["100%.png"]), ("a%zz.png", ["a%zz.png"]), ("a%2", ["a%2"]),
            ("avatars\\one.png", ["avatars\\one.png", "avatars/one.png"]), ("media\\a.png", ["media\\a.png", "media/a.png", "a.png"]),
            (" avatars/one.png\n", [" avatars/one.png\n", "avatars/one.png"]), (" /media/a.png", [" /media/a.png", "a.png"]),
            ("C:\\app\\media\\one.png", ["C:\\app\\media\\one.png", "one.png"]), ("..\\a.png", ["..\\a.png"]),
            ("avatars/\u{65}\u{301}.png", ["avatars/\u{65}\u{301}.png"]),
        ]
        for (text, expected) in cases {
            #expect(paths(text).map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(text): \(paths(text))")
        }
    }

    @Test("SQL-30 an address outside the folder leads nowhere, and none leads out of the root")
    func elsewhere() {
        for text in [
            "/one.png", "/other/one.png", "https://example.org/one.png", "https://example.org", "https://example.org/media",
            "https://example.org/media/", "s3://media/one.png", "/media", "ftp://example.org/media/one.png", "https:///media",
            "/media/../secret", "/media/%2e%2e/secret", "/media/a%2Fb", "https://example.org/media/%00", "file:///etc/passwd",
            "/srv/app/media/../secret", "http://example.org/media/%2e%2e%2fsecret",
        ] {
            let meaning = FileAddress(text, root: Self.root).meaning
            let found = paths(text)
            #expect(found.allSatisfy { !$0.contains("..") || $0.contains("%") }, "\(text): \(found)")
            if !text.contains("%") { #expect(meaning == .elsewhere, "\(text): \(meaning)") }
        }
        // Only a file of exactly this name would prove that it is a path below the root.
        let other = #"D:\pictures\one.png"#
        #expect(FileAddress(other, root: Self.root).meaning == .paths([FolderPath(file: other)].compactMap(\.self), isRelative: false))
        for text in ["a/../b", "..", ".", "a\u{0}", String(repeating: "a", count: 300)] {
            #expect(FileAddress(text, root: Self.root).meaning == .unsafe, "\(text)")
        }
        #expect(FileAddress("", root: Self.root).meaning == .empty)
        #expect(FileAddress("data:image/png;base64,AAAA/BBBB", root: Self.root).meaning == .content)
    }

    @Test("SQL-30 names of a thousand random bytes never lead out of the root")
    func random() throws {
        let tree = try FileTree()
        var generator = SystemRandomNumberGenerator()
        let pieces = ["/", "..", ".", "%2e", "%2F", "%00", "root", "outside", "canary", "?", "#", "://", "http", "\u{301}", "%", "a"]
        let survey = try FolderSurvey(root: tree.root)
        for _ in 0..<1_000 {
            let text = (0..<Int.random(in: 1...9, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            for path in FileAddress(text, root: tree.root).paths {
                #expect(!path.names.isEmpty)
                for name in path.names {
                    #expect(!name.bytes.dropLast().contains(47) && name.bytes != [46, 46, 0] && name.bytes != [46, 0], "\(text)")
                }
            }
            #expect(try survey.status(of: text)?.path.text.contains("canary") != true, "\(text)")
        }
    }

    @Test("SQL-30 an address means the one existing file; if two exist, neither is deleted")
    func found() async throws {
        let tree = try FileTree()
        for name in ["a b.png", "two.png", "both.png", "both.png?v=1", "sub/c.png"] { try tree.make("root/" + name, "x") }
        let target = FolderTarget.files([
            "a%20b.png", "two.png?v=2", "both.png?v=1", "/root/sub/c.png", "https://cdn.example.org/root/gone.png", "gone.png",
            "https://example.org/a%20b.png", "sub", "",
        ])
        let examined = try await tree.eraser.examine(target)
        #expect(examined.count.files == 3)
        #expect(Set(examined.refused) == [.ambiguous, .elsewhere, .folder, .empty])
        let outcome = try await tree.eraser.erase(target)
        #expect(outcome.erased.files == 3)
        #expect(outcome.refused.map(\.reason) == [.ambiguous, .elsewhere, .elsewhere, .folder, .empty])
        #expect(tree.has("root/both.png") && tree.has("root/both.png?v=1"))
        #expect(!tree.has("root/a b.png") && !tree.has("root/two.png") && !tree.has("root/sub/c.png"))
        #expect(try await tree.eraser.verify(target).files == 2)
    }

    @Test("SQL-30 a pattern finds a path in every escaped form, and matches its own special characters literally")
    func pattern() {
        #expect(FilePattern("a/my photo_1.png").strict == "a/my%photo!_1.png")
        #expect(FilePattern("a/my photo_1.png").loose == "a%/%my%photo!_1.png")
        #expect(FilePattern("é.png").strict == "%.png")
    }
}
