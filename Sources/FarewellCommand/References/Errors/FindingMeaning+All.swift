// SPDX-License-Identifier: Apache-2.0

/// Findings of `farewell check`, `rehearse` and `doctor`.
extension FindingMeaning {
    static let others: [FindingMeaning] = [
        .init(
            "account.stays", "The user's row in the accounts table, or a part of the accounts, would stay.",
            "Erase the row of the account with the subject, as the remedy in the message says."),
        .init(
            "anonymise.nothing", "The rule is anonymise, and no column changes.",
            "Give the personal columns a rule such as null or hash."),
        .init(
            "check.refuses-null",
            "A check constraint refuses null in all or some rows, or may refuse it, in a column that is set to null.",
            "Give the column another rule, or change the constraint."),
        .init(
            "citus.case", "A link of a distributed table compares without regard to case, which Citus does not accept.",
            "Remove `case: ignored` if the letters are the same, or keep the table on the coordinator."),
        .init(
            "citus.circle",
            "Keys or owned parents of distributed tables hold each other; a statement of Citus changes one table only.",
            "Drop one of the keys or let it cascade; remove `parent: owned`."),
        .init(
            "citus.columnar", "The table uses columnar storage, which accepts no deletes or updates.",
            "Use row storage."),
        .init(
            "citus.distribution-column", "The plan changes the column by which Citus distributes the table.",
            "Erase the rows, keep the value, or distribute the table by another column."),
        .init(
            "citus.expression", "An expression depends on the session's settings, which Citus does not accept.",
            "Use null, hash, a constant, or columns that do not depend on settings."),
        .init(
            "citus.json", "Citus cannot change an entry inside a document of the type json.",
            "Make the column jsonb, or give the link another role."),
        .init(
            "citus.large-object", "Rows on other servers name large objects, which are on the coordinator.",
            "Store the bytes in the row or in files."),
        .init(
            "citus.list", "Citus cannot change a comma-separated list in text.",
            "Make the column an array, or give the link another role."),
        .init(
            "citus.no-primary-key", "A distributed table has no primary key.",
            "Add one that contains the distribution column."),
        .init(
            "citus.recursion", "Distributed tables lead to each other, which Citus cannot follow across servers.",
            "Find the rows by a column with the subject's key."),
        .init(
            "citus.trigger", "A trigger fires on other servers, where its changes are not counted.",
            "Drop it, and let the app do its work."),
        .init(
            "column.constant-leads-nowhere", "The column is a key, and the constant is the key of no row.",
            "Use null, or the key of a row that stays."),
        .init(
            "column.constant-not-unique", "A constant would give two rows the same value in a unique index.",
            "Use null or hash."),
        .init(
            "column.constant-refused", "The database refused the constant in a trial.",
            "Give the column another rule."),
        .init("column.constant-unfit", "The constant does not fit the column's type.", "Correct the constant."),
        .init(
            "column.excluded",
            "An exclusion constraint would refuse the second row with the new value, or may refuse it.",
            "Use a value that the constraint accepts twice, or change the constraint."),
        .init(
            "column.expression-unfit", "The expression does not fit the column or the table.",
            "Correct the expression."),
        .init(
            "column.generated", "The database computes the column, so it cannot be set.",
            "Link or anonymise the columns from which it is computed."),
        .init("column.hash-refused", "The database refused a hash in a trial.", "Give the column another rule."),
        .init("column.hash-unfit", "A hash does not fit the column.", "Use null or a constant."),
        .init(
            "column.key", "The column is part of the table's primary key, so it cannot change.",
            "Declare it not personal, or retain it."),
        .init(
            "column.large-object", "The column may hold numbers of large objects, which stay when the row is erased.",
            "Write {column: large object}, or {column: not personal}."),
        .init(
            "column.no-large-object", "The rule is large object, and the column's type cannot hold the number of one.",
            "Use the rule for columns of the type oid or lo."),
        .init("column.no-rule", "The row stays, and the column has no rule.", "Give it a rule."),
        .init(
            "column.null-not-unique", "Null would give two rows the same value in a unique index.",
            "Use hash, or change the index."),
        .init(
            "column.null-refused", "The rule empties the column, which does not accept null.",
            "Use a constant or hash, or make the column nullable."),
        .init(
            "column.retain-without-reason", "A column is retained in a table without a reason.",
            "Use the table's rule retain, or declare the column not personal."),
        .init(
            "column.rule-unused", "A column's rule has no effect here.",
            "Remove it, or change the rule or the links of the table."),
        .init(
            "column.touches-neighbour", "The rule would change a value that may belong to another user.",
            "Declare the column not personal, or set the link's role."),
        .init("column.unaccounted", "The plan does not name the column.", "Add it to columns."),
        .init(
            "column.unasked", "Answers lead to a question about a personal column or about rows that rows own.",
            "Run farewell decide with a database; it adds the question."),
        .init("column.unknown", "The plan names a column that does not exist.", "Remove it, or correct the name."),
        .init(
            "conflict.null", "The column is NOT NULL ON CONFLICT, so SQLite handles a null without an error.",
            "Use coalesce in the expression, or rebuild the table."),
        .init(
            "control.foreign-table",
            "A table that Farewell did not make has the name of a table of the control store.",
            "Move or rename the table."),
        .init(
            "copy.materialised-view", "A materialised view keeps its copy of erased rows until it is refreshed.",
            "Refresh it after erasures, then declare one of its columns not personal."),
        .init(
            "copy.not-erasable", "Rows of a materialised view cannot be changed.",
            "Declare it not personal, and refresh it after erasures."),
        .init(
            "copy.sampled", "Sampled rows contain values of the subject's data: the table may be a copy.",
            "Add a link, or declare the column not personal."),
        .init(
            "copy.virtual-table", "A virtual table may hold a copy of personal text.",
            "Check that triggers update it, then declare one of its columns not personal."),
        .init(
            "effect.no-trigger", "The plan declares an effect of triggers on a table without triggers.",
            "Delete the line under effects."),
        .init(
            "effect.unknown-table", "The plan declares an effect on a table that does not exist.",
            "Correct the name, or delete the line."),
        .init(
            "export.secret", "By their names, columns of an export contain passwords, tokens or other secrets.",
            "Write export: no for the columns, or export: yes if they hold no secrets."),
        .init(
            "export.undecided", "The plan does not say whether an export may contain values that may be other users'.",
            "Write export: yes or export: no for the columns."),
        .init(
            "folder.everybody", "A folder does not contain {subject}, so an erasure would delete all users' files.",
            "Write {subject} in place of the subject's key."),
        .init(
            "folder.open-ended", "A folder does not end with a slash, so another user's key may begin with it.",
            "End it with a slash."),
        .init("folder.outside", "A folder is outside its root.", "Write a path below the root."),
        .init(
            "folder.unfit-column", "The column of a folder is not text, or its table has no personal rows.",
            "Correct the folder's column."),
        .init("folder.unknown-column", "The column of a folder does not exist.", "Correct the folder's column."),
        .init(
            "identifier.unknown", "An identifier names a column that does not exist or is not the subject's.",
            "Correct subject.identifiers."),
        .init(
            "identifiers.none", "The plan has no identifiers, so a deep scan searches for the subject's key only.",
            "Name columns such as e-mail under subject.identifiers."),
        .init(
            "index.missing", "No index supports a link, so each erasure reads the whole table.",
            "Create the index that the message shows."),
        .init(
            "index.none-for-path", "No index supports a link by a path into JSON.",
            "Store the value in a column of its own."),
        .init(
            "list.not-unique", "Lists that lose the subject could appear twice in a unique index or constraint.",
            "Erase the rows, or change the index."),
        .init(
            "list.other-form", "Sampled values of a list column do not have the form that the plan names.",
            "Write list: json if the values are JSON, or correct the values."),
        .init(
            "list.too-short", "A check or a generated column refuses lists with fewer members.",
            "Make sure that no row is refused (farewell rehearse), or change the condition."),
        .init(
            "plan.other-schema", "The plan describes another database.",
            "Check the address and the path of the plan."),
        .init("question.open", "A question of the plan has no answer.", "Answer it with farewell decide."),
        .init(
            "question.unknown", "A question is about a table or column that does not exist.", "Remove the question."),
        .init(
            "rehearsal.differs", "An erasure changes other rows than the plan predicts.",
            "Declare a rightful change under effects, or correct the plan."),
        .init(
            "rehearsal.left", "Rows still exist after a rehearsed erasure.",
            "Find the trigger or rule that keeps them."),
        .init("rehearsal.refused", "The database refuses a rehearsed erasure.", "Follow the remedy in the message."),
        .init(
            "rehearsal.uncounted", "The database does not count changed rows, so only refusals were found.",
            "In PostgreSQL, set track_counts to on."),
        .init(
            "retain.cannot-be-emptied", "The end of the retention empties a column that does not accept null.",
            "Write then: erase, or make the column nullable."),
        .init(
            "retain.no-period", "The period of a retention is zero.", "Write a period under for, or use the rule erase."
        ),
        .init("retain.no-reason", "Rows are retained without a reason.", "Write the reason in words for the user."),
        .init(
            "retain.parts-erased", "Rows that are parts of retained rows are deleted immediately.",
            "If they must be kept equally long, retain their table too."),
        .init(
            "retain.start-type", "The column from which the period counts has no date type.",
            "Name a date column under from, or remove it."),
        .init(
            "retain.start-values", "Sampled values of the column from which the period counts are no dates.",
            "Store dates there, name another column under from, or remove it."),
        .init(
            "retain.unknown-start", "The period counts from a column that does not exist.",
            "Correct or remove from."),
        .init(
            "right.missing", "The role lacks a right on a table or a schema.",
            "Grant the right that the message names."),
        .init("row-security.enabled", "Row security is on, and does not apply to this role.", "None is needed."),
        .init(
            "row-security.hides", "Row security may hide rows from this role.",
            "Use a role with BYPASSRLS, or the owner of the table."),
        .init(
            "rule.instead", "A rule of the database replaces the deletion or change of rows.",
            "Drop or disable the rule."),
        .init(
            "rule.touches-neighbour",
            "Rows have links to several users, and the plan does not say what happens to shared rows.",
            "Write shared: erase or shared: unlink."),
        .init(
            "sample.unreadable", "Rows of a table could not be sampled.",
            "Grant the right to read it, or check its columns yourself."),
        .init(
            "schema.changed", "The schema has changed since the plan was made.",
            "Correct the plan, then run farewell check --accept."),
        .init(
            "schema.earlier-fingerprint",
            "The plan's fingerprint has an earlier form, which covers less.",
            "Run farewell check --accept."),
        .init(
            "schema.event-triggers", "Event triggers fire when Farewell makes its tables.",
            "Check that they allow it."),
        .init(
            "schema.part-missing",
            "An index, check, column or trigger needs a function, a collation or a module that this SQLite lacks.",
            "Write it with what SQLite itself has, or drop it."),
        .init("schema.unrecorded", "The plan has no fingerprint of its schema.", "Run farewell check --accept."),
        .init(
            "subject.key-not-unique", "The subject's key is not unique.",
            "Name a primary or unique key of one column."),
        .init(
            "subject.loose", "The subject's key treats differently written keys as equal.",
            "Name another unique key."),
        .init(
            "subject.not-personal", "The subject's table is declared not personal.",
            "Give it the rule erase, anonymise or retain."),
        .init(
            "subject.unfit-key", "The type of the subject's key cannot be written as text.",
            "Name a key that is a number, a uuid or text."),
        .init("subject.unknown", "The subject's table or key does not exist.", "Correct subject in the plan."),
        .init(
            "system.owned",
            "owned of a system names a table or column that does not exist or that the role cannot read.",
            "Correct owned, or grant the right to read the table."),
        .init("system.twice", "Two systems have the same name, or one has none.", "Give each system its own name."),
        .init(
            "system.unknown", "person of a system names a column of a table without rows of the subject.",
            "Name a column of a table that leads to the subject."),
        .init(
            "table.contacts", "A column has addresses of users, and no link finds their rows by them.",
            "Give the table a rule and a link, or declare the column not personal."),
        .init(
            "table.inherits-personal", "A table that is not personal inherits from a table with personal rows.",
            "Check whether its rows are personal; if so, give it a rule and links."),
        .init(
            "table.inherits-subject", "A table inherits from the subject's table, and the plan would leave its rows.",
            "Use the rule of the subject's table, with a link to the subject's key."),
        .init("table.no-identity", "Nothing distinguishes the rows of the table.", "Give it a primary key."),
        .init("table.no-primary-key", "The table has no primary key.", "Consider one: erasures are then faster."),
        .init(
            "table.no-replica-identity",
            "The table is published and has no replica identity, so PostgreSQL refuses the change.",
            "Add a primary key, or set REPLICA IDENTITY."),
        .init(
            "table.of-extension", "Tables belong to an extension of PostgreSQL and are left to it.",
            "Give a table an entry if it holds personal data."),
        .init("table.partition", "The entry is about a partition, which its parent covers.", "Remove the entry."),
        .init("table.unaccounted", "The plan does not name the table.", "Add an entry (farewell init --merge)."),
        .init(
            "table.unknown", "The plan names a table that does not exist.", "Remove the entry, or correct the name."),
        .init(
            "table.unreadable", "A virtual table cannot be read: this SQLite lacks its module, for example.",
            "Keep its rows in an ordinary table, or drop it."),
        .init(
            "trigger.changes-others", "A trigger changes rows of another table, such as a counter.",
            "Declare the change under effects, as farewell rehearse shows it."),
        .init(
            "trigger.copies", "A trigger writes to another table when rows change or are deleted.",
            "Check what it writes, or erase it there too."),
        .init(
            "trigger.keeps-rows", "A trigger prevents deletions or changes without an error (soft deletion).",
            "Drop or disable the trigger, or let it allow the changes of Farewell's role."),
        .init("trigger.may-refuse", "A trigger may raise an error.", "Check when it raises one."),
        .init("trigger.statement", "A trigger fires once for a statement.", "None is needed."),
        .init(
            "trigger.truncates", "A trigger empties a table by TRUNCATE when rows change or are deleted.",
            "Let it delete the rows that belong to the deleted one."),
        .init(
            "trigger.unreadable", "A trigger calls a function, or runs a statement, whose text cannot be read.",
            "Check what it writes."),
    ]
}
