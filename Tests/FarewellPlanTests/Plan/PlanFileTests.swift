// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import Testing

struct PlanFileTests {
    static let good = """
        farewell: 1
        subject: {table: auth.users, key: id, identifiers: [auth.users.email]}
        schema: "sha256:00"
        order: [rows, files, identity]
        tables:
          auth.users:
            rule: erase
            columns: [id, email]
          public.messages:
            rule: erase
            links:
              - {from: conversation_id, to: public.conversations.id, key: cascade}
              - {from: [tenant, user_no], to: [app.members.tenant, app.members.no], key: no action, shared: erase}
              - {from: payload, path: [user, id], to: auth.users.id}
            columns: [id, {sent_by: not personal}]
          public.invoices:
            rule: retain
            reason: "Tax law: § 147 AO"
            for: 10 years
            from: issued
            then: anonymise
            columns:
              billing_address: null
              city: {constant: ""}
              email: hash
              zip: {expression: "left(zip, 2)"}
              total: retain
              lines: not personal
          '"odd.name"."na""me"':
            rule: not personal
            columns: []
        folders:
          photos: {root: ./photos, folder: "{subject}/"}
          avatars: {root: ./avatars, column: public.profiles.avatar_path}
        """

    @Test("every part of a plan file is read")
    func reads() throws {
        let plan = try PlanFile.read(Array(Self.good.utf8), path: "farewell.yaml")
        #expect(plan.subject.identifiers.map(\.description) == ["auth.users.email"])
        #expect(plan.schemaFingerprint == "sha256:00")
        #expect(plan.order == [.rows, .files, .identity])
        #expect(
            plan.tables.map(\.table.description) == [
                "auth.users", "\"odd.name\".\"na\"\"me\"", "public.invoices", "public.messages",
            ])
        let messages = try #require(plan[TableName(schema: "public", "messages")])
        #expect(messages.links.map(\.onDelete) == [.cascade, .noAction, nil])
        #expect(messages.links[1].targetColumns == ["tenant", "no"] && messages.links[1].shared == .erase)
        #expect(messages.links[2].path == ["user", "id"])
        #expect(messages.columns == [.init("id"), .init("sent_by", .notPersonal)])
        let invoices = try #require(plan[TableName(schema: "public", "invoices")])
        #expect(
            invoices.rule
                == .retain(
                    Retention(
                        reason: "Tax law: § 147 AO", period: Period(10, .year), start: "issued", then: .anonymise)))
        #expect(
            invoices.columns.map(\.rule) == [
                .null, .constant(""), .keyedHash, .expression(.call(.left, [.column("zip"), .integer(2)])), .retain,
                .notPersonal,
            ])
        #expect(plan.folders.count == 2)
        #expect(try PlanFile.read(Array(PlanFile.text(for: plan).utf8), path: "") == plan)
    }

    @Test(
        "a malformed file is refused with line and column",
        arguments: [
            ("", "1:1"), ("# only a comment\n", "1:1"), ("just text", "1:1"), ("[]", "1:1"), ("farewell: 2", "1:11"),
            ("farewell: 1\n\tsubject: x", "2:1"), ("farewell: 1\nfarewell: 1", "1:1"), ("a: [1", "2:1"),
            ("a: &x 1\nb: *x", "1:4"), ("a: !!binary aGk=", "1:4"), ("%YAML 1.2\n---\na: 1", "1:1"),
            ("a: |\n  text", "1:4"), ("a: \u{1}", "1:4"), ("a: 1\n---\nb: 2", "2:1"),
            ("{? [a, b] : c}", "1:4"), ("a: 1\n b: 2", "2:3"), ("'a", "1:3"),
        ])
    func malformed(_ text: String, place: String) {
        let error = #expect(throws: FarewellError.self) { try PlanFile.read(Array(text.utf8), path: "p.yaml") }
        #expect(error?.code == "plan.unreadable" && error?.family == .yoursToFix && error?.remedy != nil)
        #expect(error?.message.contains("p.yaml:\(place):") == true, "\(error?.message ?? "")")
    }

    @Test(
        "a wrong part is refused at its place",
        arguments: [
            ("key: id", "kye: id", "2:30"), ("table: auth.users", "table: a.b.c", "2:18"),
            ("[auth.users.email]", "auth.users.email", "2:52"), ("[auth.users.email]", "[email]", "2:53"),
            ("[rows, files, identity]", "[rows, identity]", "4:8"),
            ("[rows, files, identity]", "[identity, files, rows]", "4:8"),
            ("  public.messages:", "  auth.users:", "6:3"),
            ("rule: erase\n    links", "rule: eras\n    links", "10:11"),
            ("key: cascade}", "key: cascades}", "12:67"), ("from: conversation_id", "from: [a, b]", "12:9"),
            ("to: auth.users.id}", "to: auth}", "14:47"), ("path: [user, id]", "path: []", "14:31"),
            ("[app.members.tenant, app.members.no]", "[app.members.tenant, app.groups.no]", "13:39"),
            ("for: 10 years", "for: ever", "19:10"), ("then: anonymise", "then: forget", "21:11"),
            ("    reason: \"Tax law: § 147 AO\"\n", "", "17:5"),
            ("billing_address: null", "billing_address: ~", "23:24"),
            ("billing_address: null", "billing_address:", "23:23"),
            ("billing_address: null", "billing_address: {constant: null, expression: a}", "23:24"),
            ("billing_address: null", "billing_address: {}", "23:24"),
            ("billing_address: null", "billing_address: {constant: null}", "23:35"),
            ("email: hash", "city: hash", "24:7"),
            ("left(zip, 2)", "left(zip, 2", "26:37"), ("left(zip, 2)", "drop(zip)", "26:26"),
            ("columns: []", "columns: {a: [b]}", "31:18"), ("columns: []", "columns: [a, a]", "31:18"),
            ("columns: []", "columns: [{a: hash, b: hash}]", "31:15"), ("columns: []", "columns: 5", "31:14"),
            ("columns: []", "colums: []", "31:5"), ("rule: not personal", "rule: not personal\n    reason: a", "31:13"),
            ("'\"odd.name\".\"na\"\"me\"'", "'\"odd'", "29:3"), ("folder: \"{subject}/\"", "", "33:3"),
            ("column: public.profiles.avatar_path", "column: x", "34:38"),
            ("{root: ./photos, folder", "{rot: ./photos, folder", "33:12"),
        ])
    func wrong(_ part: String, with: String, place: String) {
        let text = Self.good.replacing(part, with: with)
        #expect(text != Self.good)
        let error = #expect(throws: FarewellError.self) { try PlanFile.read(Array(text.utf8), path: "p.yaml") }
        #expect(error?.message.contains("p.yaml:\(place):") == true, "\(error?.message ?? "")")
    }

    @Test("the reader reports all problems of a file together")
    func allProblems() {
        let text = Self.good.replacing("rule: erase", with: "rule: eraze").replacing("hash", with: "hsh")
        let error = #expect(throws: FarewellError.self) { try PlanFile.read(Array(text.utf8), path: "p.yaml") }
        #expect(error?.message.split(separator: "\n").count == 3, "\(error?.message ?? "")")
        #expect(error?.message.contains("did you mean “erase”?") == true)
    }

    @Test("a file that is too large, not UTF-8, endlessly nested or full of aliases is refused quickly")
    func hostile() {
        var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 {
            bomb += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1), *a\(level - 1), *a\(level - 1)]\n"
        }
        // Behind a plain text that runs over lines, where a quote opens nothing.
        let hidden = "t: it is\n  \"quoted\n  b: x\n" + bomb
        let hostile: [[UInt8]] = [
            Array(repeating: UInt8(ascii: "#"), count: PlanFile.greatestSize + 1), [0xFF, 0xFE, 0x61, 0x00],
            Array(String(repeating: "[", count: 200_000).utf8), Array(String(repeating: "- ", count: 200_000).utf8),
            Array(String(repeating: "{a: ", count: 200_000).utf8), Array(String(repeating: "? ", count: 200_000).utf8),
            Array((0..<3_000).map { String(repeating: " ", count: $0) + "a:\n" }.joined().utf8),
            Array(bomb.utf8), Array(hidden.utf8),
        ]
        for bytes in hostile {
            let error = #expect(throws: FarewellError.self) { try PlanFile.read(bytes, path: "p.yaml") }
            #expect(error?.code == "plan.unreadable")
            #expect(error.map { $0.message.utf8.count < 10_000 } == true)
        }
    }

    @Test("a message about a hostile file is one line for each problem, without control characters")
    func message() {
        let text = "farewell: 1\n\"evil\\n\\e[31m\\u202E\": 1\nsubject: {table: t, key: k}\ntables: {}"
        let error = #expect(throws: FarewellError.self) { try PlanFile.read(Array(text.utf8), path: "p\n.yaml") }
        #expect(error?.message.contains("\n") == false && error?.message.contains("\u{1B}") == false)
    }

    @Test("the error of a missing file differs from that of a wrong file")
    func missing() {
        let error = #expect(throws: FarewellError.self) { try PlanFile.load(path: "/nowhere/farewell.yaml") }
        #expect(error?.code == "plan.missing")
        let folder = #expect(throws: FarewellError.self) { try PlanFile.load(path: "/") }
        #expect(folder?.code == "plan.unreadable")
    }

    @Test("cutting or changing any byte of a plan file never crashes the reader")
    func mutilated() {
        let bytes = Array(Self.good.utf8)
        var random = PlanSeed(seed: 7)
        for index in stride(from: 0, to: bytes.count, by: 3) {
            _ = try? PlanFile.read(Array(bytes[..<index]), path: "p")
            var changed = bytes
            changed[index] = Array("\"'[]{}:,#&*!|>-?%@` \n".utf8).randomElement(using: &random) ?? 0
            do {
                _ = try PlanFile.read(changed, path: "p")
            } catch {
                #expect(error.code == "plan.unreadable")
            }
        }
    }
}
