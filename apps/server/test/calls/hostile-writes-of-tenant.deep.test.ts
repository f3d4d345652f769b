import { testHostileInputs } from './hostile-calls.ts'

testHostileInputs('writes', "a tenant's account with all permissions")
