// SPDX-License-Identifier: Apache-2.0

extension FindingMeaning {
    /// Findings about keys and links.
    static let links: [FindingMeaning] = [
        .init("key.added", "The database has a foreign key that the plan does not name.", "Add it to the links."),
        .init(
            "key.blocks", "A foreign key would make the database refuse the erasure.",
            "Change the rule of the table, the column or the key's action."),
        .init(
            "key.cascades-into", "A cascading key would delete rows that the plan keeps.",
            "Give the table the rule erase, or change the key's action."),
        .init(
            "key.changed", "The action of a foreign key differs from the plan.",
            "Check what happens to the rows, then correct key."),
        .init(
            "key.dangling", "A foreign key leads to a table or key that does not exist.",
            "Rebuild the table with a correct key."),
        .init(
            "key.deep-cascade", "SQLite refuses a cascade along a chain of more than 1,000 rows.",
            "Set the key to null in every 500th row of the chain."),
        .init(
            "key.default-leads-nowhere", "A key sets a column to a default that names no row.",
            "Insert that row, or change the default or the key's action."),
        .init(
            "key.default-not-unique", "The default that a key sets would appear twice in a unique index.",
            "Change the default or the key's action."),
        .init(
            "key.disabled", "The triggers that enforce a foreign key are disabled.",
            "Run ALTER TABLE … ENABLE TRIGGER ALL on the key's two tables."),
        .init(
            "key.emptied", "When the other row is deleted, the database sets this key to null, and the row here stays.",
            "None is needed."),
        .init(
            "key.gone", "A foreign key of the plan no longer exists.",
            "Remove key from the link, or remove the link."),
        .init(
            "key.follows", "The erasure changes a value, and a key with ON UPDATE changes the rows that refer to it.",
            "Add the key to the links of that table, or retain the value."),
        .init(
            "key.into-partition",
            "A foreign key leads to one partition, so the link is followed in that partition only.",
            "None is needed."),
        .init(
            "key.leads-to-person", "Rows of a table that is not personal lead to a user by a key.",
            "Use the rule anonymise with this link."),
        .init(
            "key.leads-to-retained", "Rows refer to retained rows and lead to the user as long as those are kept.",
            "Retain this table too, or unlink it."),
        .init(
            "key.not-validated", "The database has not validated a foreign key.",
            "Run ALTER TABLE … VALIDATE CONSTRAINT."),
        .init(
            "key.null-generated", "A generated column that may not be null is computed from a column that gets null.",
            "Erase the rows, or change the generated column."),
        .init(
            "key.null-no-partition", "No partition takes rows whose column is set to null.",
            "Erase the rows, or add a partition that takes null, such as a default one."),
        .init(
            "key.null-not-unique", "The null that a key sets would appear twice in a unique index.",
            "Change the index or the key's action."),
        .init(
            "key.number-of-text", "A column of numbers refers to a text that is written otherwise, like 07 beside 7.",
            "Declare the column as text."),
        .init(
            "key.unanswerable", "A key from a user's row to another user's can neither be emptied nor replaced.",
            "Make its column nullable, or change the key as the finding says."),
        .init(
            "link.case-unfit", "case: ignored does not fit the link.",
            "Remove case: ignored, or link a column of text by a text other than the subject's key."),
        .init(
            "link.condition-ignored",
            "The database cascades to every row that the key finds, even if the condition does not match.",
            "Remove where, add a second link, or change the key's action."),
        .init("link.condition-never", "The condition of a link is never true.", "Correct where."),
        .init(
            "link.content-type", "A number in where stands for another Django model in this database.",
            "Write the number that django_content_type has here."),
        .init("link.cycle", "Tables lead to each other; Farewell follows the cycle.", "None is needed."),
        .init(
            "link.entry-unwritable",
            "SQLite cannot remove an entry whose name has a quote, a backslash or a control character.",
            "Store the value in a column of its own."),
        .init(
            "link.exact-key",
            "A column ignores letter case, or spaces at the end, and the key that it links to does not.",
            "Write the values as the key has them, and add a foreign key; or give both columns one collation."),
        .init(
            "link.half-key", "A link misses rows in which a part of the key is null.",
            "Add a link by the other columns."),
        .init("link.leads-nowhere", "No chain of links leads from the table to the subject.", "Correct the links."),
        .init(
            "link.list-shared", "A list that owns its rows does not show whether another user shares a row.",
            "Write role: reference for the list, or shared: erase for the other links."),
        .init(
            "link.loose", "A link compares differently written values as equal.",
            "Link by another key, or give the columns the same exact type."),
        .init("link.mismatch", "A link's from and to differ in length.", "Correct the link."),
        .init("link.no-list", "list does not fit the column or the link.", "Correct or remove list."),
        .init(
            "link.none", "A table with personal rows has no link.", "Add a link, or declare the table not personal."),
        .init(
            "link.only-unlinks", "The rule is erase, and no link would erase a row.",
            "Change the rule, or the links."),
        .init(
            "link.owned-parent-circle", "Rows decide whether the row stays through which they are found.",
            "Make the change that the finding names."),
        .init("link.owned-parent-kept", "Rows that stay keep an owned parent.", "Give their table a rule and a link."),
        .init(
            "link.owned-parent-stages", "Owned rows belong to two stages of the erasure.",
            "Put identity after rows in order."),
        .init(
            "link.owned-parent-unfit", "parent: owned does not fit the link.",
            "Correct the link, or remove parent: owned."),
        .init(
            "link.reference-not-null", "A reference is set to null, and its column does not accept null.",
            "Add set with a replacement, or make the column nullable."),
        .init(
            "link.reference-shared", "A reference sets a column to null that a key to other rows has as well.",
            "Make a column nullable that no other key has, or let the link own the rows."),
        .init(
            "link.role-undecided", "Several links lead to users, and the plan does not say which owns the rows.",
            "Add role: owner or role: reference to the links."),
        .init(
            "link.sampled", "Sampled rows hold keys of subjects in a column without a link.",
            "Add a link, or declare the column not personal."),
        .init(
            "link.set-not-unique",
            "The value of set would be repeated in a key that is unique together with other columns.",
            "Make the column nullable, or write role: owner."),
        .init(
            "link.set-shared", "The value of set is written into a column that another key has as well.",
            "Insert rows with that value there, or make the column nullable."),
        .init("link.set-unfit", "The value of set does not fit the column.", "Correct set."),
        .init(
            "link.set-unknown", "The value of set names no row.",
            "Add a row that represents deleted rows, or name another."),
        .init(
            "link.shared-target", "A link leads to columns that are not unique, so it would reach other users' rows.",
            "Link by a unique column."),
        .init(
            "link.suspected", "The name of a column suggests a link.",
            "Add the link, or declare the column not personal."),
        .init(
            "link.suspected-type", "The type of a column suggests a link.",
            "Check its values, then add a link or declare it not personal."),
        .init(
            "link.target-not-owned", "A link leads to a table in which no row belongs to the subject.",
            "Write role: owner for a link there, or remove this link. If a question declared it, answer not personal."),
        .init(
            "link.target-not-personal", "A link leads to a table that is not personal.",
            "Correct the link or the rule. If a question declared the link, answer not personal."),
        .init("link.type", "The types of the linked columns do not match.", "Link other columns, or change a type."),
        .init("link.unknown-column", "A link names a column that does not exist.", "Correct the link."),
        .init("link.unknown-target", "A link leads to a table or column that does not exist.", "Correct the link."),
        .init(
            "link.unlink-generated", "shared: unlink empties a column that the database computes.",
            "Write shared: erase, or link the source columns."),
        .init(
            "link.unlink-not-null", "shared: unlink empties a column that does not accept null.",
            "Write shared: erase, or make the column nullable."),
        .init("link.unlinks-twice", "Two links with unlink find one row.", "Write shared: erase for all but one."),
        .init("link.unused", "A table that is not personal has links.", "Remove the links, or change the rule."),
        .init(
            "link.without-condition",
            "Another column names the table to which the link leads, and the link has no condition.",
            "Add where to the link, or declare the other column not personal."),
    ]
}
