// SPDX-License-Identifier: Apache-2.0

public import Observation

/// Another owner's value, read and written.
@MainActor
@propertyWrapper
public struct Binding<Value> {
    let get: @MainActor () -> Value
    let set: @MainActor (Value) -> Void

    nonisolated init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
        self.get = get
        self.set = set
    }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
    public var projectedValue: Binding<Value> { self }
}

/// A model whose properties can be bound.
@MainActor
@propertyWrapper
@dynamicMemberLookup
public struct Bindable<Value: AnyObject & Observable> {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    public var projectedValue: Bindable<Value> { self }

    public subscript<Member>(dynamicMember path: ReferenceWritableKeyPath<Value, Member>) -> Binding<Member> {
        let model = wrappedValue
        return Binding(get: { model[keyPath: path] }, set: { model[keyPath: path] = $0 })
    }
}

/// A view's own state.
@MainActor
@propertyWrapper
public struct State<Value> {
    private final class Memory {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private let memory: Memory

    public init(wrappedValue: Value) { memory = Memory(wrappedValue) }

    public var wrappedValue: Value {
        get { memory.value }
        nonmutating set { memory.value = newValue }
    }
    public var projectedValue: Binding<Value> {
        let memory = memory
        return Binding(get: { memory.value }, set: { memory.value = $0 })
    }
}
