// SPDX-License-Identifier: Apache-2.0

/// The definitions of folders, systems and effects of triggers.
extension PlanJSONSchema {
    static let places = #"""
            "folder": {
              "type": "object",
              "required": ["root"],
              "additionalProperties": false,
              "properties": {
                "root": {
                  "description": "The root folder, absolute or relative to the plan. No path may leave it.",
                  "type": "string",
                  "examples": ["./photos"]
                },
                "folder": {
                  "description": "One folder for each subject; {subject} stands for the subject's key.",
                  "type": "string",
                  "pattern": "[{]subject[}].*/$",
                  "examples": ["{subject}/"]
                },
                "column": {
                  "description": "Instead of a folder: the column that names the subject's files.",
                  "$ref": "#/$defs/columnName",
                  "examples": ["public.profiles.avatar_path"]
                },
                "empty": {
                  "description": "allowed if no subject may have files yet; else another's entry proves the place.",
                  "enum": ["refused", "allowed"],
                  "examples": ["allowed"]
                }
              },
              "oneOf": [{"required": ["folder"]}, {"required": ["column"]}]
            },
            "system": {
              "type": "object",
              "required": ["kind"],
              "additionalProperties": false,
              "properties": {
                "kind": {
                  "description": "The kind of the system, which selects the connector.",
                  "type": "string",
                  "minLength": 1,
                  "examples": ["s3"]
                },
                "person": {
                  "description": "The column with the subject's name in the system; without it, the subject's key.",
                  "$ref": "#/$defs/columnName",
                  "examples": ["public.users.stripe_customer"]
                },
                "owned": {
                  "description": "Where the database lists the system's items with their owners.",
                  "type": "object",
                  "required": ["column", "by"],
                  "additionalProperties": false,
                  "examples": [{"column": "storage.objects.name", "by": "owner_id", "where": {"bucket_id": "app"}}],
                  "properties": {
                    "column": {
                      "description": "The column with the item's name.",
                      "$ref": "#/$defs/columnName",
                      "examples": ["storage.objects.name"]
                    },
                    "by": {
                      "description": "The columns that name the owner.",
                      "$ref": "#/$defs/names",
                      "examples": [["owner_id", "owner"]]
                    },
                    "where": {
                      "description": "The rows that are about this system.",
                      "type": "object",
                      "minProperties": 1,
                      "additionalProperties": {"$ref": "#/$defs/names"},
                      "examples": [{"bucket_id": "avatars"}]
                    }
                  }
                },
                "export": {
                  "description": "no leaves the system out of exports; a mapping names values to leave out or to keep.",
                  "anyOf": [
                    {"enum": [true, false, "yes", "no"]},
                    {
                      "type": "object",
                      "minProperties": 1,
                      "additionalProperties": false,
                      "properties": {
                        "omit": {
                          "description": "Names of values that are left out.",
                          "$ref": "#/$defs/names",
                          "examples": [["notes"]]
                        },
                        "keep": {
                          "description": "Names that sound like secrets and are none.",
                          "$ref": "#/$defs/names",
                          "examples": [["tokens"]]
                        }
                      }
                    }
                  ],
                  "examples": ["no"]
                },
                "stage": {
                  "description": "first: beside the other systems. identity: last, because users sign in by it.",
                  "enum": ["first", "identity"],
                  "examples": ["identity"]
                },
                "settings": {
                  "description": "The settings of the kind. They are not secret.",
                  "type": "object",
                  "additionalProperties": {"type": ["string", "number", "boolean"]},
                  "examples": [{"region": "eu-west-1", "bucket": "app-photos", "prefix": "users/{person}/"}]
                },
                "secrets": {
                  "description": "The places of the kind's secrets. A plan never contains the secrets themselves.",
                  "type": "object",
                  "examples": [{"key": {"environment": "STRIPE_KEY"}}],
                  "additionalProperties": {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": false,
                    "properties": {
                      "environment": {
                        "description": "The name of an environment variable with the secret.",
                        "type": "string",
                        "examples": ["STRIPE_KEY"]
                      },
                      "file": {
                        "description": "The path of a file with the secret.",
                        "type": "string",
                        "examples": ["apple.p8"]
                      }
                    }
                  }
                }
              }
            },
            "effect": {
              "type": "object",
              "required": ["on", "also"],
              "additionalProperties": false,
              "properties": {
                "on": {
                  "description": "The table whose rows the erasure changes.",
                  "$ref": "#/$defs/tableName",
                  "examples": ["public.posts"]
                },
                "also": {
                  "description": "The table that the triggers change in addition.",
                  "$ref": "#/$defs/tableName",
                  "examples": ["public.post_history"]
                },
                "inserts": {
                  "description": "The most rows inserted for each changed row, or any.",
                  "$ref": "#/$defs/bound",
                  "examples": [1]
                },
                "updates": {
                  "description": "The most rows updated for each changed row, or any.",
                  "$ref": "#/$defs/bound",
                  "examples": ["any"]
                },
                "deletes": {
                  "description": "The most rows deleted for each changed row, or any.",
                  "$ref": "#/$defs/bound",
                  "examples": [2]
                }
              },
              "anyOf": [{"required": ["inserts"]}, {"required": ["updates"]}, {"required": ["deletes"]}]
            },
            "bound": {
              "description": "The most rows for each changed row, or any number.",
              "anyOf": [{"type": "integer", "minimum": 1, "maximum": 1000000}, {"const": "any"}]
            }
        """#
}
