// SPDX-License-Identifier: Apache-2.0

extension View {
    private func changed(_ change: (inout ViewNode) -> Void) -> ModifierContent {
        var node = ViewNode.of(self)
        change(&node)
        return ModifierContent(node: node)
    }

    private func marked(_ name: String, _ value: String?) -> ModifierContent { changed { $0.marks[name] = value } }

    public func modifier<Modifier: ViewModifier>(_ modifier: Modifier) -> some View {
        let content = ModifierContent(node: ViewNode.of(self))
        let again = { @MainActor in ViewNode.of(modifier.body(content: content)) }
        var node = again()
        node.agains.append(again)
        return ModifierContent(node: node)
    }

    public func id<ID: Hashable>(_ id: ID) -> some View { marked("id", "\(id)") }

    // MARK: Assistive technology

    public func accessibilityIdentifier(_ identifier: String) -> some View { marked("identifier", identifier) }
    public func accessibilityLabel(_ label: some StringProtocol) -> some View { marked("label", String(label)) }
    public func accessibilityHint(_ hint: some StringProtocol) -> some View { marked("hint", String(hint)) }
    public func accessibilityHidden(_ hidden: Bool) -> some View { marked("hidden", hidden ? "yes" : nil) }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { marked("traits", traits.name) }
    public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
        marked("element", "\(children)")
    }

    // MARK: How it looks

    public func foregroundStyle(_ style: some ShapeStyle) -> some View { marked("colour", style.name) }
    public func buttonStyle(_ style: BorderlessButtonStyle) -> some View { marked("buttons", "borderless") }
    public func font(_ font: Font?) -> some View { marked("font", font?.name) }
    public func padding() -> some View { marked("padding", "yes") }
    public func background(_ style: some ShapeStyle, in shape: some Shape) -> some View { marked("ground", style.name) }
    public func ignoresSafeArea() -> some View { marked("area", "whole") }
    public func navigationTitle(_ title: some StringProtocol) -> some View { marked("title", String(title)) }
    public func disabled(_ disabled: Bool) -> some View { marked("disabled", disabled ? "yes" : nil) }
    public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View {
        marked("stays", isDisabled ? "yes" : nil)
    }
    public func textSelection(_ selectability: EnabledTextSelectability) -> some View { marked("selection", "enabled") }
    public func contentShape(_ shape: Rectangle) -> some View { marked("shape", "whole") }
    public func environment<Value>(_ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        marked("direction", (value as? LayoutDirection)?.name)
    }

    // MARK: Events

    public func task(_ action: @escaping @Sendable () async -> Void) -> some View {
        changed { $0.appears.append(action) }
    }
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View {
        changed { $0.refreshes = action }
    }
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping @MainActor () -> Void
    ) -> some View {
        changed { $0.changes.append(action) }
    }
    public func onSubmit(_ action: @escaping @MainActor () -> Void) -> some View { changed { $0.press = action } }
    public func sensoryFeedback<Value: Equatable>(_ feedback: SensoryFeedback, trigger: Value) -> some View {
        changed { $0.felt.append("\(feedback.name) \(trigger)") }
    }

    // MARK: Overlays

    public func overlay<Over: View>(@ViewBuilder content: () -> Over) -> some View {
        ModifierContent(node: ViewNode("Group", children: [ViewNode.of(self), ViewNode("Overlay", parts: [content()])]))
    }

    public func confirmationDialog<Actions: View, Message: View>(
        _ title: some StringProtocol, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> Actions, @ViewBuilder message: () -> Message
    ) -> some View {
        presenting("ConfirmationDialog", String(title), isPresented, [actions(), message()])
    }

    public func alert<Actions: View, Message: View>(
        _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
        @ViewBuilder message: () -> Message
    ) -> some View {
        presenting("Alert", String(title), isPresented, [actions(), message()])
    }

    public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        presenting("Sheet", nil, isPresented, [content()])
    }

    public func fullScreenCover<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        presenting("FullScreenCover", nil, isPresented, [content()])
    }

    public func presentationBackground(_ style: some ShapeStyle) -> some View { marked("behind", style.name) }

    private func presenting(
        _ kind: String, _ title: String?, _ isPresented: Binding<Bool>, _ parts: [any View]
    ) -> ModifierContent {
        var children = [ViewNode.of(self)]
        if isPresented.wrappedValue {
            var shown = ViewNode(kind, parts: parts)
            shown.words = title
            shown.putAway = { isPresented.wrappedValue = false }
            children.append(shown)
        }
        return ModifierContent(node: ViewNode("Group", children: children))
    }
}

public struct AccessibilityTraits: Sendable {
    let name: String

    public static let isModal = AccessibilityTraits(name: "isModal")
    public static let isHeader = AccessibilityTraits(name: "isHeader")
    public static let isButton = AccessibilityTraits(name: "isButton")
    public static let updatesFrequently = AccessibilityTraits(name: "updatesFrequently")
}

public enum AccessibilityChildBehavior: Sendable { case ignore, contain, combine }

public struct EnabledTextSelectability: Sendable {
    public static var enabled: EnabledTextSelectability { EnabledTextSelectability() }
}

public struct Rectangle: Sendable {
    public init() {}
}

/// A button that acts only where it is tapped, in a list too.
public struct BorderlessButtonStyle: Sendable {
    public static let borderless = BorderlessButtonStyle()
}
