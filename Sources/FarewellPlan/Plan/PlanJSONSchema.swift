// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The JSON Schema (draft 2020-12) of the plan file, for editors that complete and check YAML.
///
/// It knows the file's shape, not the database: `farewell check` does. Committed as `docs/farewell.schema.json`;
/// `docs/plan.md` is made from its descriptions and examples.
public enum PlanJSONSchema {
    /// The schema as JSON text.
    public static let text = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Farewell plan",
          "description": "What happens to a subject's data in each place when the subject is erased.",
          "type": "object",
          "required": ["farewell", "subject", "tables"],
          "additionalProperties": false,
          "properties": {
            "farewell": {"description": "The version of the file format.", "const": 1, "examples": [1]},
            "subject": {
              "description": "The table and key that identify a subject.",
              "$ref": "#/$defs/subject",
              "examples": [{"table": "public.users", "key": "id", "identifiers": ["public.users.email"]}]
            },
            "schema": {
              "description": "The fingerprint of the planned schema; farewell check --accept writes it.",
              "type": "string",
              "minLength": 1,
              "examples": ["v2:5b0f…"]
            },
            "order": {
              "description": "The order of the stages of an erasure. The identity is always last.",
              "type": "array",
              "items": {"enum": ["files", "rows", "identity"]},
              "minItems": 3,
              "maxItems": 3,
              "uniqueItems": true,
              "examples": [["files", "rows", "identity"]]
            },
            "questions": {
              "description": "Questions that the schema does not answer. No erasure starts while one is open.",
              "type": "array",
              "items": {"$ref": "#/$defs/question"},
              "examples": [[{
                "table": "public.posts",
                "column": "editor_id",
                "reason": "editor_id may name a user.",
                "answers": ["owner", "reference", "not personal"],
                "answer": "reference"
              }]]
            },
            "tables": {
              "description": "Every table of the database, by its name.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/table"},
              "examples": [{"public.countries": {"rule": "not personal", "columns": ["code", "name"]}}]
            },
            "folders": {
              "description": "Folders that hold files of subjects, by a name of your choice.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/folder"},
              "examples": [{"photos": {"root": "./photos", "folder": "{subject}/"}}]
            },
            "systems": {
              "description": "Third-party systems that hold data of subjects, by a name of your choice.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/system"},
              "examples": [{"stripe": {"kind": "stripe", "person": "public.users.stripe_customer"}}]
            },
            "effects": {
              "description": "Further changes that triggers of the database make. farewell rehearse prints them.",
              "type": "array",
              "items": {"$ref": "#/$defs/effect"},
              "examples": [[{"on": "public.posts", "also": "public.post_history", "inserts": 1}]]
            },
            "vendors": {
              "description": "Schemas (auth.*) and tables that a vendor's profile covers, by the vendor's name.",
              "type": "object",
              "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/tableName"}},
              "examples": [{"supabase": ["auth.*", "storage.*"]}]
            }
          },
          "$defs": {
        \#(names)
        \#(tables)
        \#(columns)
        \#(places)
          }
        }

        """#

    private static let names = #"""
            "name": {"type": "string"},
            "names": {
              "anyOf": [
                {"$ref": "#/$defs/name"},
                {"type": "array", "items": {"$ref": "#/$defs/name"}, "minItems": 1}
              ]
            },
            "tableName": {
              "description": "schema.table, or table on SQLite. Double quotes enclose unusual names.",
              "type": "string",
              "minLength": 1
            },
            "columnName": {
              "description": "schema.table.column, or table.column on SQLite.",
              "type": "string",
              "pattern": "[.]"
            },
            "columnNames": {
              "anyOf": [
                {"$ref": "#/$defs/columnName"},
                {"type": "array", "items": {"$ref": "#/$defs/columnName"}, "minItems": 1}
              ]
            },
        """#

    /// `"erase", "retain"`
    static func list(_ words: [String]) -> String { words.map { "\"\($0)\"" }.joined(separator: ", ") }
}
