// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The JSON Schema (draft 2020-12) of the plan file, for editors that complete and check YAML.
///
/// It knows the file's shape, not the database: `farewell check` does. Committed as `docs/farewell.schema.json`.
public enum PlanJSONSchema {
    /// The schema as JSON text.
    public static let text = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Farewell plan",
          "description": "What happens to each place that holds a person's data when the person leaves.",
          "type": "object",
          "required": ["farewell", "subject", "tables"],
          "additionalProperties": false,
          "properties": {
            "farewell": {"description": "The version of this file's format.", "const": 1},
            "subject": {"$ref": "#/$defs/subject"},
            "schema": {
              "description": "The fingerprint of the schema this plan was made for.",
              "type": "string",
              "minLength": 1
            },
            "order": {
              "description": "The stages of a run. identity is last: until it is gone, the person can ask again.",
              "type": "array",
              "items": {"enum": ["files", "rows", "identity"]},
              "minItems": 3,
              "maxItems": 3,
              "uniqueItems": true
            },
            "questions": {
              "description": "What the schema does not say; no run starts while one is open.",
              "type": "array",
              "items": {"$ref": "#/$defs/question"}
            },
            "tables": {
              "description": "Every table of the database, by its name.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/table"}
            },
            "folders": {
              "description": "Folders that hold people's files, by a name of your choice.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/folder"}
            },
            "systems": {
              "description": "Systems of others that hold people's data, by a name of your choice.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/system"}
            },
            "effects": {
              "description": "What triggers of the database change besides; farewell rehearse shows it.",
              "type": "array",
              "items": {"$ref": "#/$defs/effect"}
            },
            "vendors": {
              "description": "Schemas (auth.*) and tables left to the profile of a vendor, by its name.",
              "type": "object",
              "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/tableName"}}
            }
          },
          "$defs": {
            "name": {"type": "string"},
            "names": {
              "anyOf": [
                {"$ref": "#/$defs/name"},
                {"type": "array", "items": {"$ref": "#/$defs/name"}, "minItems": 1}
              ]
            },
            "effect": {
              "type": "object",
              "required": ["on", "also"],
              "additionalProperties": false,
              "properties": {
                "on": {"description": "The table whose rows the erasure changes.", "$ref": "#/$defs/tableName"},
                "also": {"description": "The table that triggers change then.", "$ref": "#/$defs/tableName"},
                "inserts": {"$ref": "#/$defs/bound"},
                "updates": {"$ref": "#/$defs/bound"},
                "deletes": {"$ref": "#/$defs/bound"}
              },
              "anyOf": [{"required": ["inserts"]}, {"required": ["updates"]}, {"required": ["deletes"]}]
            },
            "bound": {
              "description": "At most so many rows for each changed row, or any number.",
              "anyOf": [{"type": "integer", "minimum": 1, "maximum": 1000000}, {"const": "any"}]
            },
            "tableName": {
              "description": "schema.table, or table on SQLite; odd names between double quotes.",
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
            "subject": {
              "description": "Where a person begins: every link leads back here.",
              "type": "object",
              "required": ["table", "key"],
              "additionalProperties": false,
              "properties": {
                "table": {"$ref": "#/$defs/tableName"},
                "key": {"description": "The single key column.", "$ref": "#/$defs/name"},
                "identifiers": {
                  "description": "What else names the person: looked for everywhere after an erasure.",
                  "type": "array",
                  "items": {"$ref": "#/$defs/columnName"},
                  "uniqueItems": true
                }
              }
            },
            "table": {
              "type": "object",
              "required": ["rule", "columns"],
              "additionalProperties": false,
              "properties": {
                "rule": {
                  "description": "What happens to the person's rows.",
                  "enum": [\#(list(Rule.words))]
                },
                "reason": {
                  "description": "Why rows are retained, in words for the person.",
                  "type": "string",
                  "pattern": "\\S"
                },
                "for": {
                  "description": "How long rows are retained.",
                  "type": "string",
                  "pattern": "^[0-9]+ +([dD]ay|[mM]onth|[yY]ear)s?$",
                  "examples": ["10 years", "18 months", "30 days"]
                },
                "from": {
                  "description": "The date column the period starts from; without it, the day of erasure.",
                  "$ref": "#/$defs/name"
                },
                "then": {
                  "description": "What happens at the end of the period.",
                  "enum": ["erase", "anonymise"]
                },
                "links": {
                  "description": "How rows of this table lead to the person.",
                  "type": "array",
                  "items": {"$ref": "#/$defs/link"}
                },
                "label": {
                  "description": "What an export calls the table, in words for the person.",
                  "type": "string"
                },
                "columns": {"$ref": "#/$defs/columns"}
              },
              "if": {
                "properties": {"rule": {"const": "retain"}},
                "required": ["rule"]
              },
              "then": {"required": ["reason", "for"]},
              "else": {
                "properties": {"reason": false, "for": false, "from": false, "then": false}
              }
            },
            "link": {
              "type": "object",
              "required": ["from", "to"],
              "additionalProperties": false,
              "properties": {
                "from": {
                  "description": "The linking column, or columns, of this table.",
                  "$ref": "#/$defs/names"
                },
                "to": {"description": "The column, or columns, linked to.", "$ref": "#/$defs/columnNames"},
                "path": {
                  "description": "The members that lead to the value inside a JSON column.",
                  "$ref": "#/$defs/names"
                },
                "key": {
                  "description": "The foreign key's action; absent where the database has no key.",
                  "enum": ["no action", "restrict", "cascade", "set null", "set default"]
                },
                "shared": {
                  "description": "Rows that are somebody else's too: gone with either, or kept without this link.",
                  "enum": ["erase", "unlink"]
                },
                "role": {
                  "description": "owner: the rows are the subject's. reference: rows of others stay, this value goes.",
                  "enum": ["owner", "reference"]
                },
                "where": {
                  "description": "The values that other columns of the row must have, such as target_type: User.",
                  "type": "object",
                  "minProperties": 1,
                  "additionalProperties": {"$ref": "#/$defs/names"}
                },
                "list": {
                  "description": "The column lists several values; the subject's is removed. uuids: any in the text.",
                  "enum": ["array", "json", "comma", "uuids"]
                },
                "set": {
                  "description": "What replaces the value of a reference; without it, null.",
                  "type": "string"
                },
                "parent": {
                  "description": "The rows here are owned by the rows that name them: avatars, by users.avatar_id.",
                  "enum": ["owned"]
                }
              }
            },
            "question": {
              "type": "object",
              "required": ["table", "column", "reason", "answers"],
              "additionalProperties": false,
              "properties": {
                "table": {"$ref": "#/$defs/tableName"},
                "column": {"$ref": "#/$defs/names"},
                "reason": {"description": "Why it is asked.", "type": "string"},
                "link": {"description": "What owner and reference declare.", "$ref": "#/$defs/link"},
                "answers": {
                  "description": "The possible answers.",
                  "type": "array",
                  "items": {"enum": [\#(list(PlanQuestion.Answer.allCases.map(\.rawValue)))]}
                },
                "answer": {
                  "description": "Your decision; absent while it is open.",
                  "enum": [null, \#(list(PlanQuestion.Answer.allCases.map(\.rawValue)))]
                }
              }
            },
            "columns": {
              "description": "Every column: a list where rows go or are not personal, else each with its rule.",
              "anyOf": [
                {
                  "type": "array",
                  "items": {
                    "anyOf": [
                      {"$ref": "#/$defs/name"},
                      {
                        "type": "object",
                        "minProperties": 1,
                        "maxProperties": 1,
                        "additionalProperties": {"$ref": "#/$defs/columnRule"}
                      }
                    ]
                  }
                },
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/columnRule"}}
              ]
            },
            "columnRule": {
              "anyOf": [
                {
                  "description": "Emptied, with its large object; hashed; kept for the table's reason; left as it is.",
                  "enum": [null, \#(list(ColumnRules.plain.map { $0.word }))]
                }\#(ColumnRules.written.map(written).joined()),
                {
                  "description": "The column's rule with what an export does with the value.",
                  "type": "object",
                  "minProperties": 1,
                  "additionalProperties": false,
                  "properties": {
                    "rule": {"enum": [null, \#(list(ColumnRules.plain.map { $0.word }))]},
                    "export": {"$ref": "#/$defs/export"},
                    "label": {"$ref": "#/$defs/label"}
                  }
                }
              ]
            },
            "export": {
              "description": "no: the value is somebody else's, and an export leaves it out.",
              "enum": [true, false, "yes", "no"]
            },
            "label": {
              "description": "What an export calls the column, in words for the person.",
              "type": "string"
            },
            "folder": {
              "type": "object",
              "required": ["root"],
              "additionalProperties": false,
              "properties": {
                "root": {
                  "description": "The folder nothing may lead out of, absolute or beside this file.",
                  "type": "string"
                },
                "folder": {
                  "description": "One folder per person; {subject} stands for the subject's key.",
                  "type": "string",
                  "pattern": "[{]subject[}].*/$"
                },
                "column": {
                  "description": "The column that names the person's files.",
                  "$ref": "#/$defs/columnName"
                }
              },
              "oneOf": [{"required": ["folder"]}, {"required": ["column"]}]
            },
            "system": {
              "type": "object",
              "required": ["kind"],
              "additionalProperties": false,
              "properties": {
                "kind": {"description": "Which connector erases there.", "type": "string", "minLength": 1},
                "person": {
                  "description": "The column with the person's name there; without it, the subject's key.",
                  "$ref": "#/$defs/columnName"
                },
                "owned": {
                  "description": "Where the database lists the system's items with their owners.",
                  "type": "object",
                  "required": ["column", "by"],
                  "additionalProperties": false,
                  "properties": {
                    "column": {"description": "The item's name.", "$ref": "#/$defs/columnName"},
                    "by": {"description": "The columns that name the owner.", "$ref": "#/$defs/names"},
                    "where": {
                      "description": "Which rows are about this system.",
                      "type": "object",
                      "minProperties": 1,
                      "additionalProperties": {"$ref": "#/$defs/names"}
                    }
                  }
                },
                "stage": {
                  "description": "identity comes after everything else: people sign in by it.",
                  "enum": ["first", "identity"]
                },
                "settings": {
                  "description": "What the connector must know, and anybody may.",
                  "type": "object",
                  "additionalProperties": {"type": ["string", "number", "boolean"]}
                },
                "secrets": {
                  "description": "Where its secrets are found; they never stand here.",
                  "type": "object",
                  "additionalProperties": {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": false,
                    "properties": {
                      "environment": {"description": "A variable's name.", "type": "string"},
                      "file": {"description": "A file's path.", "type": "string"}
                    }
                  }
                }
              }
            }
          }
        }

        """#

    /// `"erase", "retain"`
    private static func list(_ words: [String]) -> String { words.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// The rule of a column that is a word and a value.
    private static func written(_ kind: any ColumnRuleKind.Type) -> String {
        let members = kind.schema.map { String(repeating: " ", count: 14) + $0 }.joined(separator: "\n")
        return """
            ,
                    {
                      "type": "object",
                      "required": ["\(kind.word)"],
                      "additionalProperties": false,
                      "properties": {
                        "\(kind.word)": {
            \(members)
                        },
                        "export": {"$ref": "#/$defs/export"},
                        "label": {"$ref": "#/$defs/label"}
                      }
                    }
            """
    }
}
