import { testHostileInputs } from './hostile-calls.ts'

testHostileInputs('writes', 'the platform administrator')
