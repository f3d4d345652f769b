import { testDrawnHostileInputs } from './hostile-calls.ts'

testDrawnHostileInputs("a tenant's account with all permissions", 2)
