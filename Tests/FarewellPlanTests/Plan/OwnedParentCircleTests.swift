// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Owned parents that decide about themselves, and what ends the circle.
struct OwnedParentCircleTests {
    /// The errors of `check` about a plan whose subject is a user.
    private static func errors(_ entries: String, _ tables: [SchemaTable]) throws -> [Finding] {
        let text = "farewell: 1\nsubject: {table: users, key: id}\ntables:\n\(entries)"
        let plan = try PlanFile.read(Array(text.utf8), path: "farewell.yaml")
        return PlanCheck.findings(plan, Schema(dialect: .sqlite, tables: tables)).filter { $0.severity == .error }
    }

    private static func mutual(_ key: String) -> [SchemaTable] {
        [
            SchemaSketch.table(
                "users", "id int pk", "email text unique", "address_id int unique -> addresses.id",
                "contact_id int unique -> contacts.id"),
            SchemaSketch.table("addresses", "id int pk", "contact_id int unique -> contacts.id"),
            SchemaSketch.table("contacts", "id int pk", "address_id int unique \(key) -> addresses.id"),
        ]
    }

    private static func mutual(links: String) -> String {
        """
          users: {rule: erase, columns: [id, email, address_id, contact_id]}
          addresses:
            rule: erase
            links: [{from: id, to: users.address_id, parent: owned}\(links)]
            columns: [id, contact_id]
          contacts:
            rule: erase
            links: [{from: id, to: users.contact_id, parent: owned}]
            columns: [id, address_id]
        """
    }

    @Test("PL-9 PL-3 SCH-08 owned parents that keep each other by their keys are an error, and the remedy names a key that can be emptied")
    func mutualKeys() throws {
        let open = try Self.errors(Self.mutual(links: ""), Self.mutual(""))
        #expect(open.map(\.code.rawValue) == ["link.owned-parent-circle", "link.owned-parent-circle"], "\(open)")
        // Only one of the two keys may be null.
        let found = try Self.errors(Self.mutual(links: ""), Self.mutual("not-null"))
        let finding = try #require(found.first, "\(found)")
        #expect(found.count == 1 && finding.table?.name == "contacts", "\(found)")
        let remedy = try #require(finding.remedy)
        let start = try #require(remedy.firstIndex(of: "{")), end = try #require(remedy.firstIndex(of: "}"))
        let link = ", \(remedy[start...end])"
        #expect(link.contains("from: contact_id") && link.contains("role: reference"), "\(remedy)")
        #expect(try Self.errors(Self.mutual(links: link), Self.mutual("not-null")) == [], "\(remedy)")
    }

    private static let chain = [
        SchemaSketch.table("users", "id int pk", "email text unique", "account_id int unique not-null -> accounts.id"),
        SchemaSketch.table("accounts", "id int pk", "setting_id int unique not-null -> settings.id"),
        SchemaSketch.table("settings", "id int pk", "avatar_id int unique -> avatars.id"),
        SchemaSketch.table("avatars", "id int pk", "account_id int unique not-null -> accounts.id"),
    ]

    /// - Parameters:
    ///   - avatars: The links of avatars.
    ///   - settings: A further link of settings.
    private static func chain(avatars: String, settings: String = "") -> String {
        """
          users: {rule: erase, columns: [id, email, account_id]}
          accounts:
            rule: erase
            links: [{from: id, to: users.account_id, parent: owned}]
            columns: [id, setting_id]
          settings:
            rule: erase
            links: [{from: id, to: accounts.setting_id, parent: owned}\(settings)]
            columns: [id, avatar_id]
          avatars:
            rule: erase
            links: [\(avatars)]
            columns: [id, account_id]
        """
    }

    @Test("PL-9 PL-3 SCH-08 a circle of owned parents whose last key may not be null has a remedy of three changes that fit")
    func chain() throws {
        let owned = "{from: id, to: settings.avatar_id, parent: owned}"
        let found = try Self.errors(Self.chain(avatars: owned), Self.chain)
        let finding = try #require(found.first, "\(found)")
        #expect(found.count == 1 && finding.code == "link.owned-parent-circle", "\(found)")
        let remedy = try #require(finding.remedy)
        let links = remedy.matches(of: /\{[^}]*\}/).map { String($0.output) }
        try #require(links.count == 2, "\(remedy)")
        #expect(links[0].contains("account_id") && links[0].contains("owner"), "\(remedy)")
        #expect(links[1].contains("avatar_id") && links[1].contains("reference"), "\(remedy)")
        #expect(remedy.contains("remove the link with `parent: owned` by id"), "\(remedy)")
        #expect(try Self.errors(Self.chain(avatars: links[0], settings: ", \(links[1])"), Self.chain) == [])
    }

    /// Posts own pictures by `pic`, and a link finds the posts through them.
    private static func posts(_ key: String, _ link: String) throws -> [Finding] {
        let tables = [
            SchemaSketch.table("users", "id int pk", "email text unique"), SchemaSketch.table("pics", "id int pk"),
            SchemaSketch.table("posts", "id int pk", "author int not-null -> users.id cascade", "pic int unique \(key) -> pics.id"),
        ]
        let entries = """
              users: {rule: erase, columns: [id, email]}
              pics:
                rule: erase
                links: [{from: id, to: posts.pic, parent: owned}]
                columns: [id]
              posts:
                rule: erase
                links: [{from: author, to: users.id, key: cascade}\(link)]
                columns: [id, author, pic]
            """
        return try errors(entries, tables)
    }

    @Test("PL-9 PL-3 SCH-08 rows that own their parents and are found through them lose that link, or its value where it may be null")
    func links() throws {
        let owner = ", {from: pic, to: pics.id, key: no action, role: owner}"
        let emptied = try #require(try Self.posts("", owner).first { $0.code == "link.owned-parent-circle" })
        #expect(emptied.remedy?.hasPrefix("Write `role: reference` for the link by pic of “posts”") == true, "\(emptied)")
        #expect(try Self.posts("", owner.replacing("role: owner", with: "role: reference")) == [])
        let removed = try #require(try Self.posts("not-null", owner).first { $0.code == "link.owned-parent-circle" })
        #expect(removed.remedy?.hasPrefix("Remove the link by pic of “posts”") == true, "\(removed)")
        #expect(try Self.posts("not-null", "") == [])
    }
}
