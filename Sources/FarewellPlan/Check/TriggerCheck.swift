// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The effects of the database's own triggers and rules when rows are changed or deleted: they keep copies, refuse, or
/// do something different.
struct TriggerCheck {
    private let context: CheckContext
    /// The partitions of each listed table.
    private let partitions: [TableName: [SchemaTable]]

    init(_ context: CheckContext) {
        self.context = context
        let map = context.map
        let parts = map.schema.tables.filter { map.listedName(of: $0.name) != $0.name }
        partitions = Dictionary(grouping: parts, by: { map.listedName(of: $0.name) })
    }

    func findings() -> [Finding] {
        context.entries.filter { $0.plan.rule.isPersonal }.flatMap { entry, table in
            table.triggers.flatMap { trigger -> [Finding] in
                guard trigger.events.contains("delete") || trigger.events.contains("update") else { return [] }
                let found = [copies, truncates, unreadable, refuses].compactMap { $0(trigger, entry) }
                return found + [instead(trigger, entry)].compactMap(\.self)
            } + keeping(entry, table)
        } + eventTriggers()
    }

    private func copies(_ trigger: SchemaTrigger, _ entry: TablePlan) -> Finding? {
        let targets = Self.found(in: trigger) { TriggerText($0).targets }
        guard let copied = targets.first(where: { !isRetained($0.element) }) else { return nil }
        let way = copied.function.map { " through the function \(Shown.name($0))" } ?? ""
        let word = trigger.isRule ? "rule" : "trigger"
        let target = Shown.name(listed(copied.element))
        return Finding(
            "trigger.copies", .warning, table: entry.table,
            "The \(word) \(Shown.name(trigger.name)) writes to \(target)\(way) when a row is "
                + "changed or deleted: an erasure may copy the erased data.",
            remedy: "Make sure that it writes no personal data, or that the plan erases the copy afterwards.")
    }

    /// A trigger that empties a table would also delete other users' rows: as soon as there are some, an erasure parks.
    private func truncates(_ trigger: SchemaTrigger, _ entry: TablePlan) -> Finding? {
        guard context.map.schema.dialect.hasFunctionsOfTriggers,
            let emptied = Self.found(in: trigger, Self.emptied).first
        else { return nil }
        let way = emptied.function.map { " through the function \(Shown.name($0))" } ?? ""
        let table = emptied.element.map { Shown.name(listed($0)) } ?? "a table that its text does not name"
        return Finding(
            "trigger.truncates", .warning, table: entry.table,
            "The trigger \(Shown.name(trigger.name)) empties \(table)\(way) by TRUNCATE when a row is changed or "
                + "deleted: other people's rows go as well. Unless `effects` permits it, an erasure that finds rows "
                + "there is parked.",
            remedy: "Let it delete the rows that belong to the deleted one (DELETE FROM … WHERE …).")
    }

    /// The findings in the trigger's own text, and in the functions that it calls, with the function's name.
    private static func found<Element>(
        in trigger: SchemaTrigger, _ find: (String) -> [Element]
    ) -> [(element: Element, function: String?)] {
        var found: [(element: Element, function: String?)] = []
        for element in find(trigger.definition) { found.append((element, nil)) }
        for function in trigger.functions {
            for element in find(function.definition) { found.append((element, function.name)) }
        }
        return found
    }

    /// The tables that a text empties, also by statements that it runs; `nil` for one without a name.
    private static func emptied(_ definition: String) -> [String?] {
        let text = TriggerText(definition)
        let run = text.runTruncation
        let names: [String] = text.truncated + run.names
        return names.map(Optional.some) + (run.isOpen ? [nil] : [])
    }

    /// A table's name with its schema, where the trigger names it without one and only one table has it.
    private func listed(_ name: String) -> String {
        guard let named = ColumnName(parsing: name + ".id")?.table, named.schema == nil else { return name }
        let found = context.map.listed.filter { $0.name.name.utf8.elementsEqual(named.name.utf8) }
        return found.count == 1 ? found[0].name.description : name
    }

    /// A table that a plan retains on purpose is no unknown copy.
    private func isRetained(_ name: String) -> Bool {
        guard let table = ColumnName(parsing: name + ".id")?.table else { return false }
        return context.entries.contains { entry in
            entry.plan.rule.retention != nil && entry.plan.table == table
        }
    }

    /// Functions of PostgreSQL's own modules that change only the row itself.
    private static let harmless: Set<String> = ["moddatetime", "autoinc", "insert_username"]

    private func unreadable(_ trigger: SchemaTrigger, _ entry: TablePlan) -> Finding? {
        unshown(trigger, entry) ?? uncalled(trigger, entry)
    }

    /// A text that comes from elsewhere and is run as a statement. The database counts the rows that such statements
    /// write, but none that `TRUNCATE` removes.
    private func unshown(_ trigger: SchemaTrigger, _ entry: TablePlan) -> Finding? {
        guard context.map.schema.dialect.hasFunctionsOfTriggers,
            ([trigger.definition] + trigger.functions.map(\.definition)).contains(where: { definition in
                definition.lowercased().contains("execute") && TriggerText(definition).runTruncation.isUnread
            })
        else { return nil }
        return Finding(
            "trigger.unreadable", .warning, table: entry.table,
            "The trigger \(Shown.name(trigger.name)) runs a statement whose text is not written in it: the "
                + "statement may copy rows, or empty a table by TRUNCATE, which no count of an erasure would show.",
            remedy: "Check what it runs when a row is changed or deleted.")
    }

    private func uncalled(_ trigger: SchemaTrigger, _ entry: TablePlan) -> Finding? {
        guard context.map.schema.dialect.hasSchemas, !trigger.isRule, trigger.functions.isEmpty,
            let name = trigger.calledFunction, let schemaEnd = name.lastIndex(of: "."),
            !Self.harmless.contains(String(name[name.index(after: schemaEnd)...]))
        else { return nil }
        return Finding(
            "trigger.unreadable", .warning, table: entry.table,
            "The trigger \(Shown.name(trigger.name)) calls \(Shown.name(name)), whose source cannot be read: it "
                + "may copy rows.",
            remedy: "Check what it writes when a row is changed or deleted.")
    }

    private func refuses(_ trigger: SchemaTrigger, _ entry: TablePlan) -> Finding? {
        guard !trigger.isForEachRow, context.map.schema.dialect.hasSchemas else { return nil }
        // Where every link is a reference, rows only lose a value.
        let isOnlyNamed = !entry.links.isEmpty && entry.links.allSatisfy(\.isReference)
        guard !isOnlyNamed || trigger.events.contains("update") else { return nil }
        let raises = ([trigger.definition] + trigger.functions.map(\.definition)).contains { TriggerText($0).raises }
        let name = Shown.name(trigger.name)
        // Farewell sends no statement where the subject has no row; a key of the database does.
        let isByKey = context.map.keys(of: entry.table).contains { one in
            switch one.key.onDelete {
            case .cascade: trigger.events.contains("delete")
            case .setNull, .setDefault: trigger.events.contains("update")
            case .noAction, .restrict: false
            }
        }
        let message =
            "The trigger \(name) fires once for each statement"
            + (isByKey ? ", and the database fires it for a foreign key even if the subject has no row here" : "")
        guard raises else { return Finding("trigger.statement", .note, table: entry.table, message + ".") }
        return Finding(
            "trigger.may-refuse", .warning, table: entry.table, message + "; it may raise an error.",
            remedy:
                "Check when it raises one. If it refuses changes by SQL, call the table not personal and erase "
                + "the rows through the system that owns them.")
    }

    private func instead(_ trigger: SchemaTrigger, _ entry: TablePlan) -> Finding? {
        let change = entry.rule.erasesRows ? "delete" : "update"
        guard trigger.isRule, trigger.isInstead, trigger.events.contains(change) else { return nil }
        let isConditional = TriggerText(trigger.statement).isConditionalRule
        let what = change == "delete" ? "deleted" : "changed"
        return Finding(
            "rule.instead", isConditional ? .warning : .error, table: entry.table,
            "The rule \(Shown.name(trigger.name)) replaces each \(change)"
                + "\(isConditional ? " that meets its condition" : "") by another action: "
                + "the subject's rows would not be \(what).",
            remedy: "Drop the rule, or disable it (ALTER TABLE … DISABLE RULE …).")
    }

    /// Triggers that keep rows which the erasure deletes or changes; those of partitions fire as well.
    private func keeping(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        let event = entry.rule.erasesRows ? "delete" : "update"
        let dialect = context.map.schema.dialect
        return ([table] + (partitions[table.name] ?? [])).flatMap { part in
            SuppressingTrigger.all(of: part, preventing: event, dialect).map { trigger in
                let way = dialect.hasFunctionsOfTriggers ? "its function returns null" : "it calls RAISE(IGNORE)"
                let what = event == "delete" ? "the deletion" : "the change"
                let place = part.name == table.name ? "" : " of the partition \(Shown.name(part.name.description))"
                return Finding(
                    "trigger.keeps-rows", trigger.isCertain ? .error : .warning, table: table.name,
                    "The trigger \(Shown.name(trigger.name))\(place) \(trigger.isCertain ? "prevents" : "may prevent") "
                        + "\(what) of each row (\(way)): the subject's rows would stay.",
                    remedy: trigger.isCertain
                        ? dialect.hasFunctionsOfTriggers
                            ? "Drop or disable the trigger (ALTER TABLE … DISABLE TRIGGER …), or let it allow the "
                                + "changes of the role that Farewell connects as (current_user)."
                            : "Drop the trigger, and let the app mark the rows that it hides."
                        : "Check in which case it does. Rehearse it: farewell rehearse.")
            }
        }
    }

    private func eventTriggers() -> [Finding] {
        let names = context.map.schema.eventTriggers.map { Shown.name($0.name) }
        guard !names.isEmpty else { return [] }
        let more = names.count > 5 ? " and \(names.count - 5) more" : ""
        return [
            Finding(
                "schema.event-triggers", .note,
                "Event triggers fire when Farewell creates its own tables: "
                    + "\(names.prefix(5).joined(separator: ", "))\(more).")
        ]
    }
}
