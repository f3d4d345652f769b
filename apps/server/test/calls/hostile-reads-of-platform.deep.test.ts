import { testHostileInputs } from './hostile-calls.ts'

testHostileInputs('reads', 'the platform administrator')
