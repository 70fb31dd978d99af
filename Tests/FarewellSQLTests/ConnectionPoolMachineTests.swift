// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import FarewellSQL

@Suite("The pool decides by pure functions")
struct ConnectionPoolMachineTests {
    @Test("the first caller gets the first connection, and the pool opens no more than allowed")
    func firstComeFirstServed() {
        var machine = ConnectionPoolMachine(limit: 2)
        #expect(machine.handle(.asked(1)) == [.open(1)])
        #expect(machine.handle(.asked(2)) == [.open(2)])
        #expect(machine.handle(.asked(3)) == [])
        #expect(machine.handle(.opened(2)) == [.lend(2, to: 1)])
        #expect(machine.handle(.opened(1)) == [.lend(1, to: 2)])
        #expect(machine.handle(.returned(1, usable: true)) == [.lend(1, to: 3)])
        #expect(machine.total == 2)
    }

    @Test("the oldest idle connection is lent first, whichever came back last")
    func oldestFirst() {
        for order in [[1, 2], [2, 1]] {
            var machine = lentTwo()
            for connection in order { _ = machine.handle(.returned(connection, usable: true)) }
            #expect(machine.handle(.asked(3)) == [.lend(1, to: 3)])
            #expect(machine.handle(.asked(4)) == [.lend(2, to: 4)])
        }
    }

    @Test("a second connection is spared only if one more stays and no caller waits")
    func spare() {
        var machine = ConnectionPoolMachine(limit: 3)
        _ = machine.handle(.asked(1))
        #expect(!machine.canSpare, "a caller waits for its connection")
        _ = machine.handle(.opened(1))
        #expect(machine.canSpare)
        _ = machine.handle(.asked(2))
        _ = machine.handle(.opened(2))
        #expect(!machine.canSpare, "the last one stays")
        _ = machine.handle(.returned(2, usable: true))
        #expect(machine.canSpare)
        _ = machine.handle(.closed)
        #expect(!machine.canSpare)
    }

    @Test("of several callers that ask for a spare connection at once, no one waits for another")
    func spareAtOnce() {
        var machine = ConnectionPoolMachine(limit: 3)
        _ = machine.handle(.asked(1))
        _ = machine.handle(.opened(1))
        #expect(machine.handle(.askedToSpare(2)) == [.open(2)])
        #expect(machine.handle(.askedToSpare(3)) == [.refuse(3, .unspared)])
        #expect(machine.handle(.opened(2)) == [.lend(2, to: 2)])
        #expect(machine.handle(.asked(4)) == [.open(3)], "one more stays for the next caller")
        _ = machine.handle(.returned(2, usable: true))
        #expect(machine.handle(.askedToSpare(5)) == [.refuse(5, .unspared)])
        _ = machine.handle(.closed)
        #expect(machine.handle(.askedToSpare(6)) == [.refuse(6, .unspared)])
    }

    @Test("the pool closes a broken connection, and opens another one for the waiting caller")
    func brokenIsNeverLentAgain() {
        var machine = lentTwo()
        _ = machine.handle(.asked(3))
        #expect(machine.handle(.returned(1, usable: false)) == [.end(1), .open(3)])
        #expect(machine.handle(.opened(3)) == [.lend(3, to: 3)])
        #expect(machine.handle(.returned(2, usable: false)) == [.end(2)])
        #expect(machine.total == 1)
    }

    @Test("a connection found broken when it is lent costs its waiter only time")
    func foundBroken() {
        var machine = lentTwo()
        _ = machine.handle(.returned(1, usable: true))
        #expect(machine.handle(.asked(3)) == [.lend(1, to: 3)])
        _ = machine.handle(.asked(4))
        #expect(machine.handle(.foundBroken(1, 3)) == [.end(1), .open(3)])
        #expect(machine.handle(.opened(3)) == [.lend(3, to: 3)])
    }

    @Test("a waiter that is cancelled or timed out is refused once, and skipped")
    func waitersLeave() {
        var machine = lentTwo()
        _ = machine.handle(.asked(3))
        _ = machine.handle(.asked(4))
        _ = machine.handle(.asked(5))
        #expect(machine.handle(.cancelled(3)) == [.refuse(3, .cancelled)])
        #expect(machine.handle(.timedOut(4)) == [.refuse(4, .exhausted)])
        #expect(machine.handle(.cancelled(3)) == [])
        #expect(machine.handle(.returned(1, usable: true)) == [.lend(1, to: 5)])
        #expect(machine.handle(.timedOut(5)) == [])
    }

    @Test("a waiter whose connection fails to open gets the connection error, not the error that all are in use")
    func overdueWhileOpening() {
        var machine = ConnectionPoolMachine(limit: 2)
        _ = machine.handle(.asked(1))
        #expect(machine.handle(.timedOut(1)) == [])
        #expect(machine.handle(.opened(1)) == [.lend(1, to: 1)])
        _ = machine.handle(.asked(2))
        #expect(machine.handle(.timedOut(2)) == [])
        #expect(machine.handle(.openFailed(2)) == [.refuse(2, .openFailed)])
        #expect(machine.handle(.timedOut(2)) == [])
    }

    @Test("a waiter whose connection never opens is refused when its time has run out twice")
    func overdueTwice() {
        var machine = ConnectionPoolMachine(limit: 2)
        _ = machine.handle(.asked(1))
        #expect(machine.handle(.timedOut(1)) == [])
        #expect(machine.handle(.timedOut(1)) == [.refuse(1, .unopened)])
        #expect(machine.handle(.opened(1)) == [])
        #expect(machine.handle(.asked(2)) == [.lend(1, to: 2)])
    }

    @Test("a connection that does not open fails only its waiter, and the next waiter gets a try")
    func openFails() {
        var machine = ConnectionPoolMachine(limit: 1)
        _ = machine.handle(.asked(1))
        _ = machine.handle(.asked(2))
        #expect(machine.handle(.openFailed(1)) == [.refuse(1, .openFailed), .open(2)])
        #expect(machine.handle(.openFailed(2)) == [.refuse(2, .openFailed)])
        #expect(machine.total == 0)
    }

    @Test("closing the pool refuses waiting callers, closes idle connections at once and lent ones on their return")
    func closes() {
        var machine = lentTwo()
        _ = machine.handle(.asked(3))
        #expect(machine.handle(.closed) == [.refuse(3, .closed)])
        #expect(machine.handle(.asked(9)) == [.refuse(9, .closed)])
        #expect(machine.handle(.returned(1, usable: true)) == [.end(1)])

        var idling = lentTwo()
        _ = idling.handle(.returned(1, usable: true))
        #expect(idling.handle(.closed) == [.end(1)])
        #expect(idling.handle(.returned(2, usable: false)) == [.end(2)])
        #expect(idling.total == 0)
    }

    @Test("in every case the limit holds, no connection is lent twice and every caller gets an answer", arguments: 1...40)
    func randomLives(_ seed: Int) {
        var life = RandomLife(seed: UInt64(seed))
        for _ in 0..<2000 { life.step() }
        life.finish()
        #expect(life.unanswered.isEmpty)
        #expect(life.machine.total == 0)
    }

    private func lentTwo() -> ConnectionPoolMachine {
        var machine = ConnectionPoolMachine(limit: 2)
        for waiter in 1...2 { _ = machine.handle(.asked(waiter)) }
        for connection in 1...2 { _ = machine.handle(.opened(connection)) }
        return machine
    }
}

/// A pool's life of random events, with what must always be so checked at each action.
private struct RandomLife {
    var machine = ConnectionPoolMachine(limit: 3)
    var unanswered: Set<Int> = []
    private var state: UInt64
    private var lastWaiter = 0
    private var opening: Set<Int> = []
    private var lent: Set<Int> = []
    private var alive: Set<Int> = []

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func step() {
        switch random(7) {
        case 0, 1:
            lastWaiter += 1
            unanswered.insert(lastWaiter)
            handle(.asked(lastWaiter))
        case 2: if let id = opening.min() { opened(id, isGood: random(5) > 0) }
        case 3, 4: if !lent.isEmpty { giveBack(lent.sorted()[random(lent.count)], usable: random(6) > 0) }
        case 5: if lastWaiter > 0 { handle(.cancelled(1 + random(lastWaiter))) }
        default: if lastWaiter > 0 { handle(.timedOut(1 + random(lastWaiter))) }
        }
    }

    mutating func finish() {
        handle(.closed)
        for id in opening.sorted() { opened(id, isGood: true) }
        for id in lent.sorted() { giveBack(id, usable: true) }
    }

    private mutating func opened(_ id: Int, isGood: Bool) {
        opening.remove(id)
        if isGood { alive.insert(id) }
        handle(isGood ? .opened(id) : .openFailed(id))
    }

    private mutating func giveBack(_ id: Int, usable: Bool) {
        lent.remove(id)
        handle(.returned(id, usable: usable))
    }

    private mutating func handle(_ event: ConnectionPoolMachine.Event) {
        for action in machine.handle(event) {
            switch action {
            case .open(let id): opening.insert(id)
            case .lend(let id, let waiter):
                #expect(alive.contains(id) && lent.insert(id).inserted)
                #expect(unanswered.remove(waiter) != nil)
            case .refuse(let waiter, _): #expect(unanswered.remove(waiter) != nil)
            case .end(let id):
                #expect(alive.remove(id) != nil && !lent.contains(id))
            }
        }
        #expect(machine.total <= machine.limit)
    }

    /// xorshift64*
    private mutating func random(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}
