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
          "description": "The effect of an erasure on each place that contains a user's data.",
          "type": "object",
          "required": ["farewell", "subject", "tables"],
          "additionalProperties": false,
          "properties": {
            "farewell": {"description": "The version of this file's format.", "const": 1},
            "subject": {"$ref": "#/$defs/subject"},
            "schema": {
              "description": "The fingerprint of the schema that this plan was written for.",
              "type": "string",
              "minLength": 1
            },
            "order": {
              "description": "The stages of a run. identity is last: until it is erased, the user can request again.",
              "type": "array",
              "items": {"enum": ["files", "rows", "identity"]},
              "minItems": 3,
              "maxItems": 3,
              "uniqueItems": true
            },
            "questions": {
              "description": "Questions that the schema does not answer; no run starts while one is open.",
              "type": "array",
              "items": {"$ref": "#/$defs/question"}
            },
            "tables": {
              "description": "Every table of the database, by its name.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/table"}
            },
            "folders": {
              "description": "Folders with users' files, by a name of your choice.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/folder"}
            },
            "systems": {
              "description": "Third-party systems with users' data, by a name of your choice.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/system"}
            },
            "effects": {
              "description": "Further changes by triggers of the database; farewell rehearse shows them.",
              "type": "array",
              "items": {"$ref": "#/$defs/effect"}
            },
            "vendors": {
              "description": "Schemas (auth.*) and tables that a vendor's profile covers, by its name.",
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
                "also": {"description": "The table that triggers then change.", "$ref": "#/$defs/tableName"},
                "inserts": {"$ref": "#/$defs/bound"},
                "updates": {"$ref": "#/$defs/bound"},
                "deletes": {"$ref": "#/$defs/bound"}
              },
              "anyOf": [{"required": ["inserts"]}, {"required": ["updates"]}, {"required": ["deletes"]}]
            },
            "bound": {
              "description": "The largest number of rows for each changed row, or any number.",
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
              "description": "The subject's table: every link leads back to it.",
              "type": "object",
              "required": ["table", "key"],
              "additionalProperties": false,
              "properties": {
                "table": {"$ref": "#/$defs/tableName"},
                "key": {"description": "The single key column.", "$ref": "#/$defs/name"},
                "identifiers": {
                  "description": "Other identifiers of the subject: a deep scan searches for them after an erasure.",
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
                  "description": "What happens to the subject's rows.",
                  "enum": [\#(list(Rule.words))]
                },
                "reason": {
                  "description": "Why rows are retained, in words for the user.",
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
                  "description": "The date column that starts the period; without it, the day of erasure.",
                  "$ref": "#/$defs/name"
                },
                "then": {
                  "description": "What happens at the end of the period.",
                  "enum": ["erase", "anonymise"]
                },
                "links": {
                  "description": "How rows of this table lead to the subject.",
                  "type": "array",
                  "items": {"$ref": "#/$defs/link"}
                },
                "label": {
                  "description": "The table's name in an export, in words for the user.",
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
                  "description": "The path of members to the value inside a JSON column.",
                  "$ref": "#/$defs/names"
                },
                "key": {
                  "description": "The foreign key's action; absent where the database has no key.",
                  "enum": ["no action", "restrict", "cascade", "set null", "set default"]
                },
                "shared": {
                  "description": "Rows that also belong to others: erased with either, or kept without this link.",
                  "enum": ["erase", "unlink"]
                },
                "role": {
                  "description": "owner: the rows are the subject's. reference: others' rows, which lose this value.",
                  "enum": ["owner", "reference"]
                },
                "where": {
                  "description": "The values that other columns of the row must have, such as target_type: User.",
                  "type": "object",
                  "minProperties": 1,
                  "additionalProperties": {"$ref": "#/$defs/names"}
                },
                "list": {
                  "description": "The column lists several values; the subject's is removed. uuids: any in a text.",
                  "enum": ["array", "json", "comma", "uuids"]
                },
                "set": {
                  "description": "The value that replaces a reference; without it, null.",
                  "type": "string"
                },
                "parent": {
                  "description": "The rows here belong to the rows that refer to them: avatars, by users.avatar_id.",
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
                "reason": {"description": "Why the question is open.", "type": "string"},
                "link": {"description": "The link that owner and reference declare.", "$ref": "#/$defs/link"},
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
              "description": "Every column: a list if rows are erased or not personal, else each with its rule.",
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
                  "description": "Set to null, with its large object; hashed; kept for the table's reason; unchanged.",
                  "enum": [null, \#(list(ColumnRules.plain.map { $0.word }))]
                }\#(ColumnRules.written.map(written).joined()),
                {
                  "description": "The column's rule and its treatment in an export.",
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
              "description": "no: the value belongs to another user, and an export leaves it out.",
              "enum": [true, false, "yes", "no"]
            },
            "label": {
              "description": "The column's name in an export, in words for the user.",
              "type": "string"
            },
            "folder": {
              "type": "object",
              "required": ["root"],
              "additionalProperties": false,
              "properties": {
                "root": {
                  "description": "The folder that contains all files, absolute or relative to this file.",
                  "type": "string"
                },
                "folder": {
                  "description": "One folder per subject; {subject} is replaced by the subject's key.",
                  "type": "string",
                  "pattern": "[{]subject[}].*/$"
                },
                "column": {
                  "description": "The column that names the subject's files.",
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
                "kind": {"description": "The connector that erases there.", "type": "string", "minLength": 1},
                "person": {
                  "description": "The column with the subject's name there; without it, the subject's key.",
                  "$ref": "#/$defs/columnName"
                },
                "owned": {
                  "description": "The columns that list the system's items and their owners.",
                  "type": "object",
                  "required": ["column", "by"],
                  "additionalProperties": false,
                  "properties": {
                    "column": {"description": "The item's name.", "$ref": "#/$defs/columnName"},
                    "by": {"description": "The columns that name the owner.", "$ref": "#/$defs/names"},
                    "where": {
                      "description": "The rows that concern this system.",
                      "type": "object",
                      "minProperties": 1,
                      "additionalProperties": {"$ref": "#/$defs/names"}
                    }
                  }
                },
                "stage": {
                  "description": "identity comes after everything else: users sign in with it.",
                  "enum": ["first", "identity"]
                },
                "settings": {
                  "description": "The connector's public settings.",
                  "type": "object",
                  "additionalProperties": {"type": ["string", "number", "boolean"]}
                },
                "secrets": {
                  "description": "Where its secrets are; the plan never contains them.",
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
