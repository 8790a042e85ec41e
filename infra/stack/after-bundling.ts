import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

// Arguments: the source map and its new path, then the source and the target of each asset.
const [sourceMap = '', movedMap = '', ...assets] = process.argv.slice(2);

mkdirSync(dirname(movedMap), { recursive: true });
copyFileSync(sourceMap, movedMap);
rmSync(sourceMap);
for (let at = 0; at + 1 < assets.length; at += 2) copyFileSync(assets[at] ?? '', assets[at + 1] ?? '');
