// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A sample of a field's lowest and highest values: the forms of the names in them, and whether a map's keys are names.
struct FirestoreSample: Sendable {
    /// The forms of the names in the values; empty if the values show none.
    private let forms: Set<NameForm>
    /// Whether there are elements of arrays, and none has the beginning of the plan's form.
    private let isBesideForm: Bool
    /// The member with which all maps of the field begin; `nil` if they differ, or only one document has the field.
    private let commonKey: ExactText?
    /// Texts right in the maps, as values.
    private let values: Set<ExactText>

    init(_ ends: [FirestoreField.End], of field: FirestoreField, root: String) {
        let maps = ends.map { $0.value?["mapValue"]?["fields"]?.members ?? [] }
        let texts = ends.flatMap { end -> [String] in
            guard let value = end.value else { return [] }
            return switch field.kind {
            case .string, .reference: [value[field.kind.member]?.string].compactMap(\.self)
            case .array, .references:
                (value["arrayValue"]?["values"]?.elements ?? []).compactMap { $0[field.kind.element ?? ""]?.string }
            case .map, .integer: []
            }
        }
        let names = field.kind == .map ? maps.flatMap { $0.map(\.name) } : texts.compactMap { field.name(in: $0, root) }
        forms = Set(names.flatMap(NameForm.possible))
        isBesideForm = field.kind.element != nil && !texts.isEmpty && names.isEmpty
        // Maps are sorted by their first keys, so that if the first and the last begin alike, all do.
        let first = maps.compactMap { $0.map { ExactText($0.name) }.min() }
        let isSeveral = Set(ends.map { ExactText($0.document) }).count > 1
        commonKey = field.kind == .map && isSeveral && first.count == 2 && first[0] == first[1] ? first[0] : nil
        values = Set(maps.flatMap { $0.compactMap { $0.value["stringValue"]?.string.map(ExactText.init) } })
    }

    /// Why these names, which no query finds, would not be found if they were there; `nil` if nothing shows that.
    func objection(to names: [String]) -> String? {
        if isBesideForm { return "no element of the field's arrays has the form of the setting `value`" }
        if !forms.isEmpty, forms.isDisjoint(with: names.flatMap(NameForm.possible)) {
            return "the names in the field have another form than the person's, such as a path, an address, a UUID or "
                + "a generated identifier"
        }
        if !values.isDisjoint(with: names.map(ExactText.init)) {
            return "the person's name is a value in the field's maps, and no key"
        }
        guard let commonKey, !names.contains(where: { ExactText($0) == commonKey }) else { return nil }
        return "all maps of the field begin with the same key, so their keys are no names"
    }
}
