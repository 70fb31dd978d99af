// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The definitions of subject, table and link.
extension PlanJSONSchema {
    static let tables = #"""
            "subject": {
              "description": "The table and key that identify a subject. Every link leads back here.",
              "type": "object",
              "required": ["table", "key"],
              "additionalProperties": false,
              "properties": {
                "table": {
                  "description": "The table with one row for each subject.",
                  "$ref": "#/$defs/tableName",
                  "examples": ["public.users"]
                },
                "key": {
                  "description": "Its key, one column. It is unique.",
                  "$ref": "#/$defs/name",
                  "examples": ["id"]
                },
                "identifiers": {
                  "description": "Columns with other names of the subject. A deep scan searches for their values.",
                  "type": "array",
                  "items": {"$ref": "#/$defs/columnName"},
                  "uniqueItems": true,
                  "examples": [["public.users.email"]]
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
                  "enum": [\#(list(Rule.words))],
                  "examples": ["erase"]
                },
                "reason": {
                  "description": "Why rows are retained, in words for the user.",
                  "type": "string",
                  "pattern": "\\S",
                  "examples": ["Invoices are kept for ten years by tax law."]
                },
                "for": {
                  "description": "How long rows are retained.",
                  "type": "string",
                  "pattern": "^[0-9]+ +([dD]ay|[mM]onth|[yY]ear)s?$",
                  "examples": ["10 years", "18 months", "30 days"]
                },
                "from": {
                  "description": "The date column from which the period counts; without it, the day of the erasure.",
                  "$ref": "#/$defs/name",
                  "examples": ["invoice_date"]
                },
                "then": {
                  "description": "What happens at the end of the period; without it, erase.",
                  "enum": ["erase", "anonymise"],
                  "examples": ["anonymise"]
                },
                "links": {
                  "description": "How rows of this table lead to the subject.",
                  "type": "array",
                  "items": {"$ref": "#/$defs/link"},
                  "examples": [[{"from": "user_id", "to": "public.users.id", "key": "cascade"}]]
                },
                "label": {
                  "description": "The table's name for users, on pages and in exports: one, or one for each language.",
                  "anyOf": [
                    {"type": "string"},
                    {
                      "type": "object",
                      "minProperties": 1,
                      "additionalProperties": false,
                      "properties": {
                        "en": {"type": "string"},
                        "de": {"type": "string"},
                        "es": {"type": "string"},
                        "ja": {"type": "string"},
                        "ar": {"type": "string"}
                      }
                    }
                  ],
                  "examples": ["Your invoices", {"en": "Your invoices", "de": "Deine Rechnungen"}]
                },
                "columns": {
                  "description": "Every column: a list of names if rows are erased, or each name with its rule.",
                  "$ref": "#/$defs/columns",
                  "examples": [["id", "body"], {"total": "retain", "address": null}]
                }
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
                  "$ref": "#/$defs/names",
                  "examples": ["user_id", ["tenant", "user_no"]]
                },
                "to": {
                  "description": "The column, or columns, to which they refer.",
                  "$ref": "#/$defs/columnNames",
                  "examples": ["public.users.id"]
                },
                "path": {
                  "description": "The members that lead to the value inside a JSON column.",
                  "$ref": "#/$defs/names",
                  "examples": [["user", "id"]]
                },
                "key": {
                  "description": "The action of the foreign key; absent if the database has no key.",
                  "enum": ["no action", "restrict", "cascade", "set null", "set default"],
                  "examples": ["cascade"]
                },
                "shared": {
                  "description": "For rows of two users: erase the row with either user, or keep it and unlink it.",
                  "enum": ["erase", "unlink"],
                  "examples": ["unlink"]
                },
                "role": {
                  "description": "owner: the rows belong to the subject. reference: the rows stay and lose this value.",
                  "enum": ["owner", "reference"],
                  "examples": ["reference"]
                },
                "where": {
                  "description": "The values that other columns of the row must have for the link; null: none.",
                  "type": "object",
                  "minProperties": 1,
                  "additionalProperties": {"anyOf": [{"$ref": "#/$defs/names"}, {"type": "null"}]},
                  "examples": [{"target_type": "User"}]
                },
                "list": {
                  "description": "The column holds several values, and the subject's is removed. uuids: any in a text.",
                  "enum": ["array", "json", "comma", "uuids"],
                  "examples": ["array"]
                },
                "set": {
                  "description": "The value that replaces a reference (of several columns the subject's), or null.",
                  "type": "string",
                  "examples": ["deleted"]
                },
                "parent": {
                  "description": "owned: rows that name a row of this table own it, as users.avatar_id owns an avatar.",
                  "enum": ["owned"],
                  "examples": ["owned"]
                },
                "case": {
                  "description": "Texts, such as e-mail addresses, are compared without regard to letter case.",
                  "enum": ["ignored"],
                  "examples": ["ignored"]
                }
              }
            },
        """#
}
