"""Names of columns in six languages: what each says the column is."""

from __future__ import annotations

import pytest

from shoal.table.proposals.content import Meaning, meaning_of

NAMES = {
    Meaning.EMAIL: ["email", "E-Mail", "courriel", "correo_electronico", "mailadres"],
    Meaning.PHONE: ["Phone number", "Telefonnummer", "téléphone", "teléfono", "cellulare"],
    Meaning.NAME: ["name", "patientName", "Nachname", "prénom", "apellidos", "achternaam",
                   "cognome"],
    Meaning.ADDRESS: ["street address", "Straße", "dirección", "woonadres", "indirizzo"],
    Meaning.NATIONAL_ID: ["SSN", "Versichertennummer", "numéro de sécurité sociale", "DNI", "BSN",
                          "codice_fiscale"],
    Meaning.PERSON_ID: ["patient_id", "IDPatient", "Patientennummer", "identifiant",
                        "id_paciente", "patiëntnummer", "codice paziente"],
    Meaning.CASE_ID: ["record_id", "Fallnummer", "numéro de dossier", "expediente", "volgnummer"],
    Meaning.FREE_TEXT: ["remarks", "Bemerkungen", "commentaires", "observaciones", "opmerking",
                        "osservazioni"],
    Meaning.HOUSEHOLD: ["hhid", "HaushaltsNr", "ménage", "hogar", "huishouden"],
    Meaning.SURVEY_WEIGHT: ["pweight", "Hochrechnungsfaktor", "pondération",
                            "factor de expansión", "wegingsfactor", "peso_campionario"],
    Meaning.BODY: ["weight", "Größe", "poids", "estatura", "lichaamslengte", "altezza"],
    Meaning.BIRTH: ["dob", "BirthDate", "Geburtsdatum", "date de naissance",
                    "fecha_nacimiento", "geboortejaar", "data di nascita"],
    Meaning.AGE: ["age", "AGE_YEARS", "Alter", "edad", "leeftijd", "età"],
    Meaning.SEX: ["sex", "Geschlecht", "sexe", "género", "geslacht", "sesso"],
    Meaning.POSTCODE: ["ZIPCode", "PLZ", "code_postal", "código postal", "postcode", "CAP"],
    Meaning.PLACE: ["city", "Wohnort", "commune", "provincia", "woonplaats", "città"],
    Meaning.DIAGNOSIS: ["diagnosis_2", "Hauptdiagnose", "maladie", "diagnóstico", "ziekte",
                        "diagnosi"],
    Meaning.BELIEF: ["religion", "Konfession", "syndicat", "partido", "geloof", "religione"],
    Meaning.MONEY: ["income", "Einkommen", "salaire", "ingresos", "inkomen", "reddito",
                    "capital-gain"],
    Meaning.OCCUPATION: ["occupation", "Beruf", "métier", "profesión", "beroep", "professione"],
    Meaning.EDUCATION: ["education-num", "Schulabschluss", "niveau d'études", "estudios",
                        "opleiding", "titolo_di_studio"],
    Meaning.FAMILY: ["marital-status", "Familienstand", "état civil", "estado civil",
                     "burgerlijke staat", "stato civile"],
    Meaning.EVENT: ["admission_date", "Entlassung", "Verlegungsdatum", "fecha de alta",
                    "opnamedatum", "data ricovero"],
}  # fmt: skip


@pytest.mark.parametrize("meaning", NAMES, ids=lambda meaning: meaning.name)
def test_names_in_six_languages(meaning):
    """A name says what it means, whatever its case, accents, signs and language."""
    assert sum(map(len, NAMES.values())) > 60
    found = {name: meaning_of(name) for name in NAMES[meaning]}
    assert set(found.values()) == {meaning}, found


@pytest.mark.parametrize("name", ["hospital_name", "product name", "file_name"])
def test_names_of_things_are_no_names_of_people(name):
    """A name that says whose it is, and no person's, is none of a person."""
    assert meaning_of(name) is not Meaning.NAME


@pytest.mark.parametrize("name", ["Wert 01", "x0", "", "hospital_id", "q17", "score", "№"])
def test_unknown_names_say_nothing(name):
    """What no list has, has no meaning."""
    assert meaning_of(name) in (None, Meaning.UNIT)
