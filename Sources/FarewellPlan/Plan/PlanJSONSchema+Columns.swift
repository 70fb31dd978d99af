// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The definitions of questions, columns and their rules.
extension PlanJSONSchema {
    static let columns = #"""
            "question": {
              "type": "object",
              "required": ["table", "column", "reason", "answers"],
              "additionalProperties": false,
              "properties": {
                "table": {
                  "description": "The table that the question is about.",
                  "$ref": "#/$defs/tableName",
                  "examples": ["public.posts"]
                },
                "column": {
                  "description": "The column, or columns, that the question is about.",
                  "$ref": "#/$defs/names",
                  "examples": ["editor_id"]
                },
                "reason": {
                  "description": "Why Farewell asks.",
                  "type": "string",
                  "examples": ["editor_id may name a user."]
                },
                "link": {
                  "description": "The link that the answers owner and reference declare.",
                  "$ref": "#/$defs/link",
                  "examples": [{"from": "editor_id", "to": "public.users.id"}]
                },
                "links": {
                  "description": "Instead of link: several links that one answer declares, each to another table.",
                  "type": "array",
                  "items": {"$ref": "#/$defs/link"},
                  "examples": [
                    [
                      {"from": "target_id", "to": "public.users.id", "where": {"target_type": "User"}},
                      {"from": "target_id", "to": "public.posts.id", "where": {"target_type": "Post"}}
                    ]
                  ]
                },
                "through": {
                  "description": "The link that finds the subject's rows for the answer anonymise.",
                  "$ref": "#/$defs/link",
                  "examples": [{"from": "account_id", "to": "public.users.id", "key": "set null"}]
                },
                "set": {
                  "description": "The text that the answer anonymise writes in place of the values; without it, null.",
                  "type": "string",
                  "examples": ["deleted"]
                },
                "answers": {
                  "description": "The possible answers.",
                  "type": "array",
                  "items": {"enum": [\#(list(PlanQuestion.Answer.allCases.map(\.rawValue)))]},
                  "examples": [["owner", "reference", "not personal"]]
                },
                "answer": {
                  "description": "Your decision; absent while the question is open.",
                  "enum": [null, \#(list(PlanQuestion.Answer.allCases.map(\.rawValue)))],
                  "examples": ["reference"]
                },
                "implied": {
                  "description": "Instead of answer: an answer that follows from others, until they change.",
                  "enum": [null, \#(list(PlanQuestion.Answer.allCases.map(\.rawValue)))],
                  "examples": ["not personal"]
                }
              }
            },
            "columns": {
              "description": "Every column: a list of names if rows are erased, or each name with its rule.",
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
                  "description": "The rule for the values of the column.",
                  "enum": [null, \#(list(ColumnRules.plain.map { $0.word }))]
                }\#(ColumnRules.written.map(written).joined()),
                {
                  "description": "The column's rule, and how an export treats the value.",
                  "type": "object",
                  "minProperties": 1,
                  "additionalProperties": false,
                  "properties": {
                    "rule": {
                      "description": "The rule for the values of the column.",
                      "enum": [null, \#(list(ColumnRules.plain.map { $0.word }))],
                      "examples": ["retain"]
                    },
                    "export": {
                      "description": "Whether an export contains the value. no: it is another user's, or a secret.",
                      "$ref": "#/$defs/export",
                      "examples": ["no"]
                    },
                    "label": {
                      "description": "The name of the column in an export, in words for the user.",
                      "$ref": "#/$defs/label",
                      "examples": ["Amount"]
                    }
                  }
                }
              ]
            },
            "export": {
              "description": "Whether an export contains the value. no: it is another user's, or a secret.",
              "enum": [true, false, "yes", "no"]
            },
            "label": {
              "description": "The name of the column in an export, in words for the user.",
              "type": "string"
            },
        """#

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
