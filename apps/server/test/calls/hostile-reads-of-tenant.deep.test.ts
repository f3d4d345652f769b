import { testHostileInputs } from './hostile-calls.ts'

testHostileInputs('reads', "a tenant's account with all permissions")
