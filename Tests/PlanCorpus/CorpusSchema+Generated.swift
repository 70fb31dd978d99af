// SPDX-License-Identifier: Apache-2.0

extension CorpusSchema {
    /// A generated schema of many tables: one of users, and modules of ten tables that each look alike.
    package static func generated(tables count: Int) -> CorpusSchema {
        var lines = [
            "-- subject: users.id", "-- databases: postgresql, sqlite", "-- keys: sparse",
            "CREATE TABLE users (", "  id bigint PRIMARY KEY,", "  email text NOT NULL UNIQUE,", "  full_name text", ");",
        ]
        for number in 0..<(count - 1) {
            lines += module(number / 10, table: number % 10)
        }
        return CorpusSchema(name: "generated", text: lines.joined(separator: "\n"))
    }

    private static let areas = [
        "asset", "billing", "crm", "depot", "energy", "fleet", "grant", "health", "insurance", "job",
    ]
    private static let regions = [
        "north", "south", "east", "west", "inner", "outer", "upper", "lower", "coast", "island",
    ]

    private static func module(_ module: Int, table: Int) -> [String] {
        let (area, region) = (areas[module / 10 % areas.count], regions[module % regions.count])
        let prefix = module < 100 ? "\(area)_\(region)" : "\(area)_\(region)_\(module)"
        let columns: [String] =
            switch table {
            case 0: ["name text", "user_quota integer"]
            case 1: ["user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id", "title text"]
            case 2:
                [
                    "\(prefix)_record_id bigint NOT NULL REFERENCES \(prefix)_records (id) ON DELETE CASCADE, "
                        + "-- part of: \(prefix)_records.id",
                    "body text",
                ]
            case 3:
                [
                    "\(prefix)_catalog_id bigint NOT NULL, -- about: \(prefix)_catalog.id",
                    "updated_by bigint REFERENCES users (id) ON DELETE SET NULL, -- names: users.id", "price integer",
                ]
            case 4: ["author_id bigint NOT NULL, -- owner: users.id", "approved_by_id bigint, -- names: users.id", "note text"]
            case 5:
                [
                    "owner_type text NOT NULL,",
                    "owner_id bigint NOT NULL, -- owner: users.id when owner_type = 'User' "
                        + "| about: \(prefix)_catalog.id when owner_type = 'Catalog'",
                    "path text",
                ]
            case 6: ["code text", "users_total integer"]
            case 7: ["sender_id bigint NOT NULL, -- owner: users.id", "recipient_id bigint NOT NULL, -- owner: users.id"]
            case 8: ["day date", "active_users integer", "blocked integer"]
            default: ["label text", "position integer", "is_default boolean"]
            }
        let names = [
            "catalog", "records", "entries", "prices", "articles", "files", "codes", "letters", "statistics", "labels",
        ]
        let body = (["id bigint PRIMARY KEY,"] + columns).map { "  " + $0 }
        let last = body.count - 1
        let written = body.enumerated().map { place, line in place == last ? ended(line) : separated(line) }
        return ["CREATE TABLE \(prefix)_\(names[table]) ("] + written + [");"]
    }

    /// A column's line that another follows.
    private static func separated(_ line: String) -> String {
        line.contains("--") || line.hasSuffix(",") ? line : line + ","
    }

    /// The last column's line.
    private static func ended(_ line: String) -> String { line.replacing(", --", with: " --") }
}
