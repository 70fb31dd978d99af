// SPDX-License-Identifier: Apache-2.0

@testable import FarewellErasure
import Testing

@Suite("Names of files in an export")
struct PortableNameTests {
    @Test(
        "EX-1 a name that another system cannot hold has its unfit bytes percent-encoded, and every other name stays",
        arguments: [
            ("new\nline", "new%0Aline"), ("x:y", "x%3Ay"), ("<b>", "%3Cb%3E"), ("a\\b|c?d*\"", "a%5Cb%7Cc%3Fd%2A%22"),
            ("CON", "%43ON"), ("con.txt", "%63on.txt"), ("Lpt1.a.b", "%4Cpt1.a.b"), ("aux .x", "%61ux .x"),
            ("trail. ", "trail.%20"), ("trail.", "trail%2E"), ("c1\u{85}", "c1%C2%85"), ("del\u{7F}", "del%7F"),
            ("console", "console"), ("é 💥.jpg", "é 💥.jpg"), ("100%.txt", "100%.txt"), (".hidden", ".hidden"),
        ])
    func portable(_ name: String, _ expected: String) {
        #expect(Array(PortableNames.portable(Array(name.utf8)).utf8) == Array(expected.utf8))
    }

    @Test("EX-1 bytes that are not UTF-8 are percent-encoded one by one, and a name that becomes too long is cut")
    func bytes() {
        #expect(PortableNames.portable(Array("bad".utf8) + [0xFF, 0xFE] + Array("name".utf8)) == "bad%FF%FEname")
        #expect(PortableNames.portable([0xC3, 0x28, 0xE2, 0x82]) == "%C3(%E2%82")
        #expect(PortableNames.portable(Array(repeating: 0xFF, count: 255)).utf8.count == 255)
    }

    @Test("EX-1 names that become the same, also in another case, stay two, and one path always has the same name")
    func distinct() throws {
        var names = PortableNames()
        func path(_ parts: String...) -> String {
            names.path(of: parts.compactMap { FileName($0) }).map(\.text).joined(separator: "/")
        }
        #expect(path("a", "photo.jpg") == "a/photo.jpg")
        #expect(path("a", "Photo.JPG") == "a/Photo-2.JPG")
        #expect(path("A", "photo.jpg") == "A-2/photo.jpg")
        #expect(path("a", "x:y") == "a/x%3Ay")
        #expect(path("a", "x%3Ay") == "a/x%3Ay-2")
        #expect(path("a", "photo.jpg") == "a/photo.jpg" && path("a", "Photo.JPG") == "a/Photo-2.JPG")
        // Systems that take both cases for the same compare more than capitals.
        #expect(path("a", "\u{3c3}") == "a/\u{3c3}" && path("a", "\u{3c2}") == "a/\u{3c2}-2")
        #expect(path("a", "gro\u{df}.txt") == "a/gro\u{df}.txt" && path("a", "GROSS.txt") == "a/GROSS-2.txt")
        #expect(path("a", "gro\u{1e9e}.txt") == "a/gro\u{1e9e}-3.txt")
        let long = String(repeating: "n", count: 255)
        #expect(path(long) == long)
        #expect(path(long.uppercased()).utf8.count == 255)
    }

    @Test("EX-1 the files of a table have a name that every system can hold, and no two tables have the same")
    func tables() {
        var names = ExportNames()
        let texts = [
            "CON", "con", "aux.txt", "Lpt1", "console", "a.", "..", "", "-rf", "a/b", "Users", "users", "users-2", "\u{e9}",
        ]
        let given = texts.map { names.name(for: $0) }
        let expected = [
            "_CON", "_con-2", "_aux.txt", "_Lpt1", "console", "a._", "_.._", "_", "_-rf", "a_b", "Users", "users-2", "users-2-2", "__",
        ]
        #expect(given == expected)
    }
}
