import './early.ts'

// The document names every chunk of main as modulepreload: it is on its way already.
void import('./main.tsx')
