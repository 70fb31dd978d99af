// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellErasure
import Foundation
import TestFixtures
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("A user's folder of files")
struct FolderEraserTests {
    let tree: FileTree
    var eraser: FolderEraser { tree.eraser }

    init() throws { tree = try FileTree() }

    @Test("BX-2 the preview of a folder counts the files that an erasure deletes, and reading back finds none")
    func whole() async throws {
        try tree.make("root/7/a.jpg", "12345")
        try tree.make("root/7/albums/one/b.jpg", "123")
        try tree.make("root/7/albums/two/c.jpg", "")
        try tree.link("root/7/link", to: tree.outside)
        let preview = try await eraser.preview(.person("7"))
        #expect(preview == FolderCount(files: 4, folders: 4, bytes: 8))
        #expect(try await eraser.verify(.person("7")) == preview)
        let outcome = try await eraser.erase(.person("7"))
        #expect(outcome.erased == preview && outcome.isComplete)
        #expect(!tree.has("root/7") && tree.has("root/.keep"))
        #expect(try await eraser.verify(.person("7")).isEmpty)
        #expect(try tree.outsideIsUntouched())
    }

    @Test("files with the largest possible size are counted one by one, their sizes up to a bound")
    func sparse() async throws {
        var count = FolderCount()
        for _ in 0..<3 { count.add(fileOf: .max) }
        count.add(fileOf: 5)
        #expect(count == FolderCount(files: 4, bytes: FolderCount.mostBytes))
        // In folders too, where the file system lets a file be that large.
        for name in ["a", "b"] {
            try tree.make("root/7/\(name)", "")
            guard truncate("\(tree.base)/root/7/\(name)", off_t.max) == 0 else { return }
        }
        #expect(try await eraser.preview(.person("7")).bytes == FolderCount.mostBytes)
        let outcome = try await eraser.erase(.person("7"))
        #expect(outcome.erased == FolderCount(files: 2, folders: 1, bytes: FolderCount.mostBytes))
    }

    @Test("a repeated erasure, or one of a subject without files, erases nothing and does not fail")
    func idempotent() async throws {
        try tree.make("root/7/a.jpg", "x")
        _ = try await eraser.erase(.person("7"))
        let again = try await eraser.erase(.person("7"))
        #expect(again.erased.isEmpty && again.isComplete)
        #expect(try await eraser.preview(.person("8")).isEmpty)
        #expect(try await eraser.verify(.person("8")).isEmpty)
    }

    @Test(
        "siblings with a common prefix keep every file",
        arguments: ["user/{subject}/", "user-{subject}", "{subject}"])
    func siblings(template: String) async throws {
        let others = ["10", "11", "1 ", "1.", "01", "1_", "１"]
        for key in ["1"] + others {
            try tree.make("root/" + template.replacing("{subject}", with: key) + "/photo", key)
        }
        let outcome = try await eraser.erase(.folder(template: template, subject: "1"))
        #expect(outcome.erased.files == 1)
        for key in others {
            #expect(try tree.read("root/" + template.replacing("{subject}", with: key) + "/photo") == key)
        }
    }

    @Test("a folder on the way with the user's key in its name is deleted too, once empty; common ones stay")
    func emptied() async throws {
        try tree.make("root/users/1/photos/a", "x")
        try tree.make("root/users/2/photos/a", "x")
        try tree.make("root/users/2/letters/a", "x")
        let target = { FolderTarget.folder(template: "users/{subject}/photos/", subject: $0) }
        #expect(try await eraser.erase(target("1")).erased == FolderCount(files: 1, folders: 2, bytes: 1))
        #expect(!tree.has("root/users/1") && tree.has("root/users"))
        #expect(try await eraser.erase(target("2")).erased == FolderCount(files: 1, folders: 1, bytes: 1))
        #expect(tree.has("root/users/2/letters/a"))
        let letters = FolderTarget.folder(template: "users/{subject}/letters/", subject: "2")
        #expect(try await eraser.erase(letters).erased.folders == 2)
        #expect(!tree.has("root/users/2") && tree.has("root/users"), "the last person leaves the common folder")
    }

    @Test(
        "a key that is not a safe name for one folder is refused, and nothing changes",
        arguments: [
            "", ".", "..", "/", "a/b", "../outside", "7/../../outside", "/etc", "a\u{0}b", "\u{0}",
            String(repeating: "x", count: 256), "7/", "//",
        ])
    func subjects(key: String) async throws {
        try tree.make("root/7/a", "x")
        #expect(await code { _ = try await eraser.erase(.person(key)) } == "folder.subject")
        #expect(await code { _ = try await eraser.preview(.person(key)) } == "folder.subject")
        #expect(await code { _ = try await eraser.verify(.person(key)) } == "folder.subject")
        #expect(try tree.has("root/7/a") && tree.outsideIsUntouched())
    }

    @Test(
        "a template that does not name one folder for each user is refused",
        arguments: [
            "", "/", "photos/", "subject", "/{subject}", "../{subject}", "a/../{subject}", "a//{subject}",
            "./{subject}",
            "{subject}//", "{subject}/..", "{subject}/.", "a\u{0}/{subject}", "{Subject}/",
        ])
    func templates(template: String) async throws {
        try tree.make("root/7/a", "x")
        #expect(
            await code { _ = try await eraser.erase(.folder(template: template, subject: "7")) } == "folder.template")
        #expect(try tree.has("root/7/a") && tree.outsideIsUntouched())
    }

    @Test("a key that is dangerous only together with the template is refused")
    func composed() async throws {
        #expect(
            await code { _ = try await eraser.erase(.folder(template: ".{subject}", subject: ".")) } == "folder.subject"
        )
        let long = String(repeating: "x", count: 250)
        #expect(
            await code { _ = try await eraser.erase(.folder(template: "user-{subject}-x", subject: long)) }
                == "folder.subject")
    }

    @Test("links inside are deleted themselves; their targets stay")
    func links() async throws {
        try tree.link("root/7/folder", to: tree.outside)
        try tree.link("root/7/file", to: tree.outside + "/canary")
        try tree.link("root/7/dangling", to: "/nonexistent")
        try tree.link("root/7/up", to: "..")
        try tree.link("root/7/self", to: "self")
        let outcome = try await eraser.erase(.person("7"))
        #expect(outcome.erased == FolderCount(files: 5, folders: 1) && outcome.isComplete)
        #expect(try !tree.has("root/7") && tree.outsideIsUntouched() && tree.has("root/.keep"))
    }

    @Test("a link in place of the user's folder is deleted itself, and its target stays")
    func linkedFolder() async throws {
        try tree.link("root/7", to: tree.outside)
        #expect(try await eraser.preview(.person("7")) == FolderCount(files: 1))
        #expect(try await eraser.verify(.person("7")) == FolderCount(files: 1))
        #expect(try await eraser.erase(.person("7")).erased == FolderCount(files: 1))
        #expect(try !tree.has("root/7") && tree.outsideIsUntouched())
    }

    @Test("a link on the way to the user's folder is refused, not followed, and not read as a missing folder")
    func linkOnTheWay() async throws {
        try tree.make("outside/7/a", "x")
        try tree.link("root/users", to: tree.outside)
        let target = FolderTarget.folder(template: "users/{subject}/", subject: "7")
        #expect(await code { _ = try await eraser.preview(target) } == "folder.through-link")
        #expect(await code { _ = try await eraser.erase(target) } == "folder.through-link")
        #expect(await code { _ = try await eraser.verify(target) } == "folder.through-link")
        #expect(tree.has("outside/7/a"))
    }

    @Test("a missing root, a root that is a file and a root that is a link are errors, not empty folders")
    func roots() async throws {
        try tree.link("linked", to: tree.root)
        for (root, expected) in [
            (tree.base + "/none", "folder.root-missing"), (tree.outside + "/canary", "folder.root-not-a-folder"),
            (tree.base + "/linked", "folder.root-not-a-folder"), ("", "folder.root-missing"),
        ] {
            let eraser = FolderEraser(root: root)
            #expect(await code { _ = try await eraser.preview(.person("7")) } == expected)
            #expect(await code { _ = try await eraser.erase(.person("7")) } == expected)
            #expect(await code { _ = try await eraser.verify(.person("7")) } == expected)
            #expect(await code { _ = try await eraser.erase(.files(["a"])) } == expected)
        }
    }

    @Test("the erasure does not enter a mount below the root")
    func mounts() async throws {
        // Every Linux has a file system of its own under /proc; it is only looked at here.
        #expect(
            await code { _ = try await FolderEraser(root: "/").preview(.person("proc")) } == "folder.other-file-system")
    }

    @Test("a file that cannot be deleted is an error, not a missing file")
    func refusedBySystem() async throws {
        // The kernel permits no deletion here, not even by root.
        let eraser = FolderEraser(root: "/proc/\(getpid())")
        let answer = await code { _ = try await eraser.erase(.person("fdinfo")) }
        #expect(answer == "file.permission", "\(answer ?? "no error")")
        let file = await code { _ = try await eraser.erase(.files(["status"])) }
        #expect(file == "file.permission", "\(file ?? "no error")")
        #expect(try await eraser.verify(.files(["status"])).files == 1)
    }

    @Test(
        "names in any bytes, with line feeds, in any script are erased",
        arguments: [
            "a\nb", " ", "-rf", "*", "ünïcödé", "日本", "\u{1F600}", "e\u{301}", "é", "\\", "a\tb", "'\"", "...", "..x",
            "\u{202E}x", String(repeating: "x", count: 255),
        ])
    func names(name: String) async throws {
        try tree.make("root/7/\(name)", "x")
        try tree.make("root/7/sub-\(name.prefix(50))/\(name)", "x")
        #expect(try await eraser.erase(.person("7")).erased.files == 2)
        #expect(!tree.has("root/7"))
        let asKey = try await eraser.erase(.person(name))
        #expect(asKey.erased.isEmpty)
    }

    @Test("names that are not valid text are erased")
    func rawNames() async throws {
        try tree.make("root/7/.keep", "")
        let folder = open(tree.root + "/7", O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        for byte in 128...255 {
            let file = openat(folder, [CChar(bitPattern: UInt8(byte)), 0], O_CREAT | O_WRONLY, 0o600)
            #expect(file >= 0)
            close(file)
        }
        #expect(try await eraser.erase(.person("7")).erased.files == 129)
        #expect(!tree.has("root/7"))
    }

    @Test("pipes and sockets are deleted like files, without any wait for them")
    func specialFiles() async throws {
        try tree.make("root/7/a", "x")
        #expect(mkfifo(tree.root + "/7/pipe", 0o600) == 0)
        #expect(try await eraser.erase(.person("7")).erased.files == 2)
    }

    @Test("folders nested deeper than the limit of open files are counted and erased")
    func deep() async throws {
        var path = "root/7"
        for _ in 0..<300 { path += "/d" }
        try tree.make(path + "/leaf", "x")
        try tree.make("root/7/d/d/side", "x")
        let preview = try await eraser.preview(.person("7"))
        #expect(preview == FolderCount(files: 2, folders: 301, bytes: 2))
        #expect(try await eraser.erase(.person("7")).erased == preview)
        #expect(!tree.has("root/7"))
    }

    @Test("ten thousand files are erased and counted exactly")
    func many() async throws {
        for number in 0..<10_000 { try tree.make("root/7/\(number % 10)/\(number)", "ab") }
        let preview = try await eraser.preview(.person("7"))
        #expect(preview == FolderCount(files: 10_000, folders: 11, bytes: 20_000))
        #expect(try await eraser.erase(.person("7")).erased == preview)
        #expect(try await eraser.verify(.person("7")).isEmpty)
    }

    @Test("another name of an erased file is reported; two names within the user's folder are not")
    func hardLinks() async throws {
        try tree.make("root/7/a", "x")
        try tree.hardLink("root/7/b", to: "root/7/a")
        #expect(try await eraser.erase(.person("7")).otherNames == 0)
        try tree.make("root/7/a", "x")
        try tree.hardLink("root/7/b", to: "root/7/a")
        try tree.hardLink("outside/name", to: "root/7/a")
        let outcome = try await eraser.erase(.person("7"))
        #expect(outcome.otherNames == 1 && outcome.erased.files == 2 && !outcome.isComplete)
        #expect(try tree.read("outside/name") == "x")
    }

    @Test("a file that another user's data also names stays, and the receipt reports it")
    func shared() async throws {
        try tree.make("root/7/mine", "x")
        try tree.make("root/7/album/ours", "x")
        let outcome = try await eraser.erase(.person("7"), isShared: { $0 == "7/album/ours" })
        #expect(outcome.erased == FolderCount(files: 1, bytes: 1) && outcome.shared == 1 && !outcome.isComplete)
        #expect(tree.has("root/7/album/ours"))
        #expect(try await eraser.verify(.person("7")).files == 1)
        let deep = "root/8" + String(repeating: "/d", count: 200)
        try tree.make(deep + "/ours", "x")
        #expect(try await eraser.erase(.person("8"), isShared: { $0.hasSuffix("ours") }).shared == 1)
        #expect(tree.has(deep + "/ours"))
    }

    @Test("a cancelled task stops, and the next one finishes")
    func cancelled() async throws {
        for number in 0..<600 { try tree.make("root/7/\(number)", "") }
        let eraser = eraser
        let task = Task {
            try await eraser.erase(
                .person("7"),
                isShared: { _ in
                    withUnsafeCurrentTask { $0?.cancel() }; return false
                })
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let left = try await eraser.preview(.person("7")).files
        #expect(left > 0 && left < 600)
        #expect(try await eraser.erase(.person("7")).erased.files == left)
    }

    @Test("no error names a file or a user")
    func messages() async throws {
        try tree.link("root/canary-way", to: tree.outside)
        let failures: [FolderTarget] = [
            .folder(template: "canary-way/{subject}/", subject: "canary-key"), .person("canary/../key"),
        ]
        for target in failures {
            let error = await #expect(throws: FarewellError.self) { try await eraser.erase(target) }
            #expect(error?.description.contains("canary") == false && error?.remedy != nil)
        }
    }
}
